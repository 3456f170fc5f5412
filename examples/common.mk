# What the makefiles of the examples have in common.
#
# PREFIX is where `ci/install PREFIX` put chemio, INTEGER the bytes of Fortran's default INTEGER, RUN the launcher of MPI. With the
# Global Arrays package of Debian, whose INTEGER has 8 bytes, instead of chemio:
# make INTEGER=8 GA_FLAGS= GA_LIBS="$(ga-config --libs --flibs)"
# and with that package for the arrays in memory and chemio for those on disk:
# make INTEGER=8 GA_FLAGS="$(pkg-config --cflags chemio_pario_i8)" GA_LIBS="$(pkg-config --libs chemio_pario_i8) $(ga-config --libs --flibs)"

PREFIX   ?= /usr/local
INTEGER  ?= 4
OPT      ?= -O2
RUN      ?= mpirun
PKG       = PKG_CONFIG_PATH=$(PREFIX)/lib/pkgconfig:$$PKG_CONFIG_PATH pkg-config

CC        = mpicc
FC        = mpifort
LIBRARY   = $(if $(filter 8,$(INTEGER)),chemio_i8,chemio)
WIDTH     = $(if $(filter 8,$(INTEGER)),-fdefault-integer-8)
GA_FLAGS  = $(or $(shell $(PKG) --cflags $(LIBRARY)), $(error no $(LIBRARY).pc: say PREFIX=where chemio is installed))
GA_LIBS   = $(shell $(PKG) --libs $(LIBRARY))

# With what a program was built last: with another library, or another INTEGER, it is built anew.
BUILT_WITH = $(CC) $(FC) $(OPT) $(ARCH) $(WIDTH) $(GA_FLAGS) $(GA_LIBS)

.built-with: FORCE
	@printf '%s\n' '$(BUILT_WITH)' | cmp -s - $@ || printf '%s\n' '$(BUILT_WITH)' > $@

# A shell's words: the commands after it run with a directory $$scratch, which has to be empty in the end.
IN_SCRATCH = scratch=$$(mktemp -d) && trap 'rm -rf "$$scratch"' EXIT
IS_EMPTY   = [ -z "$$(ls -A "$$scratch")" ]

.PHONY: all check clean FORCE

# The first target is the one that make is called for.
.DEFAULT_GOAL = all
