/* A program whose common blocks are not aligned to their elements, as no compiler known makes them but every linker
 * allows. */
#include <stdint.h>

#include "../../../capi/tests/c/check.h"
#include "macdecls.h"

__asm__(".pushsection .bss\n"
        ".balign 64\n"
        ".skip 4\n"
        ".globl mbc_dbl_\n.type mbc_dbl_, @object\n.size mbc_dbl_, 16\nmbc_dbl_: .skip 16\n"
        ".balign 64\n"
        ".skip 40\n"
        ".globl mbc_dcpl_\n.type mbc_dcpl_, @object\n.size mbc_dcpl_, 32\nmbc_dcpl_: .skip 32\n"
        ".balign 64\n"
        ".skip 1\n"
        ".globl mbc_int_\n.type mbc_int_, @object\n.size mbc_int_, 16\nmbc_int_: .skip 16\n"
        ".popsection");

extern char mbc_dbl_[], mbc_dcpl_[], mbc_int_[];

static void check_type(Integer datatype, char *common, size_t element_bytes)
{
    Integer handle = -7, more = -7;
    MA_AccessIndex index = -7;
    char *pointer = NULL;
    CHECK(MA_get_mbase(datatype) == common);
    CHECK(MA_push_get(datatype, 7, "misaligned", &handle, &index));
    CHECK(MA_get_pointer(handle, &pointer));
    CHECK((uintptr_t)common + (uintptr_t)(index * (long)element_bytes) == (uintptr_t)pointer);
    memset(pointer, 1, 7 * element_bytes);
    CHECK(MA_allocate_heap(datatype, 1, "another", &more));
    CHECK(MA_verify_allocator_stuff());
    CHECK(MA_free_heap(more));
    CHECK(MA_pop_stack(handle));
}

static void blocks_lie_whole_elements_from_a_misaligned_common_block(void)
{
    check_type(MT_F_DBL, mbc_dbl_, 8);
    check_type(MT_F_DCPL, mbc_dcpl_, 16);
    check_type(MT_F_INT, mbc_int_, sizeof(Integer));
}

int main(void)
{
    CHECK(MA_init(MT_DBL, 1000, 1000));
    RUN(blocks_lie_whole_elements_from_a_misaligned_common_block);
    return check_failures != 0;
}
