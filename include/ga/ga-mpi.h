/* Groups of processes as communicators of MPI. They belong to the library: a program may communicate with them, but must not
 * free them. MPI returns errors on them; it does not end the program. */
#ifndef CHEMIO_GA_MPI_H
#define CHEMIO_GA_MPI_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The communicator of all processes. */
MPI_Comm GA_MPI_Comm(void);

/** The communicator of a group. */
MPI_Comm GA_MPI_Comm_pgroup(int pgroup);

/** The communicator of the default group. */
MPI_Comm GA_MPI_Comm_pgroup_default(void);

#ifdef __cplusplus
}
#endif

#endif
