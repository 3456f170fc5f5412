/* What Fortran's types are in C, for programs that define functions for Fortran: Integer, logical, Real,
 * DoublePrecision, SingleComplex, DoubleComplex and intp are in macdecls.h. */
#ifndef CHEMIO_TYPESF2C_H
#define CHEMIO_TYPESF2C_H
#include "macdecls.h"
/* Functions for Fortran have no calling convention of their own here. */
#define FATR
#endif
