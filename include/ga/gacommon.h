/* Constants of distributed arrays, for C and for Fortran through cpp: only lines for the preprocessor.
 * ga.h and global.fh have what most programs need. */
#ifndef CHEMIO_GACOMMON_H
#define CHEMIO_GACOMMON_H
/* Types of elements. Those of Fortran mean what they are called there. */
#define C_CHAR 1000
#define C_INT 1001
#define C_LONG 1002
#define C_FLOAT 1003
#define C_DBL 1004
#define C_LDBL 1005
#define C_SCPL 1006
#define C_DCPL 1007
#define C_LDCPL 1008
#define F_BYTE 1009
#define F_INT 1010
#define F_LOG 1011
#define F_REAL 1012
#define F_DBL 1013
#define F_SCPL 1014
#define F_DCPL 1015
#define C_LONGLONG 1016
/* The largest number of dimensions. */
#define GA_MAX_DIM 7
/* The version of Global Arrays whose calls these are. */
#define GA_VERSION_MAJOR 5
#define GA_VERSION_MINOR 8
#define GA_VERSION_PATCH 2
#endif
