// Gaussian integrals for the Fortran module `integrals`, computed by libint2.
//
// One basis is current at a time. Fortran hands over plain arrays; shells and shell pairs are counted from
// zero on this side. Every function returns 0, or 1 with a text that scf_integral_message() gives: no C++
// exception crosses into Fortran. Only scf_quartet has a third answer.
//
// Matrices are nbf x nbf and symmetric, so row or column order does not matter.

#include <libint2.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

namespace {

using libint2::BraKet;
using libint2::Engine;
using libint2::Operator;
using libint2::Shell;
using libint2::ShellPair;

enum Status { kOk = 0, kFailed = 1, kNegligible = 2 };

std::vector<Shell> shells;
std::vector<int> first_function;
int functions_count = 0;

struct Pair {
  int first, second;
  ShellPair data;
};
std::vector<Pair> pairs;
std::unique_ptr<Engine> coulomb;
char message[256];

template <typename Work>
int guarded(Work&& work) {
  try {
    return work();
  } catch (const std::exception& e) {
    std::snprintf(message, sizeof message, "libint2: %s", e.what());
  } catch (...) {
    std::snprintf(message, sizeof message, "libint2: unknown exception");
  }
  return kFailed;
}

int max_l() {
  int l = 0;
  for (const auto& s : shells) l = std::max(l, s.contr[0].l);
  return l;
}

size_t max_nprim() {
  size_t n = 1;
  for (const auto& s : shells) n = std::max(n, s.nprim());
  return n;
}

Engine make_engine(Operator op) { return Engine(op, max_nprim(), max_l(), 0); }

// Fills a symmetric matrix with a one-electron operator.
void one_body(Engine engine, double* matrix) {
  const auto& block = engine.results();
  for (size_t i = 0; i != shells.size(); ++i)
    for (size_t j = 0; j <= i; ++j) {
      engine.compute(shells[i], shells[j]);
      if (block[0] == nullptr) continue;
      const size_t ni = shells[i].size(), nj = shells[j].size();
      for (size_t a = 0; a != ni; ++a)
        for (size_t b = 0; b != nj; ++b) {
          const size_t row = first_function[i] + a, col = first_function[j] + b;
          matrix[row * functions_count + col] = matrix[col * functions_count + row] = block[0][a * nj + b];
        }
    }
}

}  // namespace

extern "C" {

// Makes a basis current. `pure` is 1 for spherical functions; primitives of all shells follow one another;
// contraction coefficients are those of normalised primitives. Centres are in bohr.
int scf_basis_set(int nshell, const int* l, const int* pure, const int* nprim, const double* exponents,
                  const double* coefficients, const double* centres) {
  return guarded([&]() -> int {
    static bool started = false;
    if (!started) libint2::initialize();
    started = true;
    coulomb.reset();
    pairs.clear();
    shells.clear();
    first_function.clear();
    functions_count = 0;
    for (int i = 0; i != nshell; ++i) {
      if (l[i] > LIBINT2_MAX_AM_eri) {
        std::snprintf(message, sizeof message, "this libint2 has no integrals over l = %d, only up to %d", l[i],
                      LIBINT2_MAX_AM_eri);
        return kFailed;
      }
      libint2::svector<Shell::real_t> a(exponents, exponents + nprim[i]), c(coefficients, coefficients + nprim[i]);
      const bool spherical = l[i] > 1 && pure[i] != 0;
      shells.emplace_back(Shell(a, {{l[i], spherical, c}}, {{centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]}}));
      first_function.push_back(functions_count);
      functions_count += static_cast<int>(shells.back().size());
      exponents += nprim[i];
      coefficients += nprim[i];
    }
    return kOk;
  });
}

// Overlap, kinetic energy and attraction to point charges.
int scf_one_electron(int natom, const double* charges, const double* centres, double* s, double* t, double* v) {
  return guarded([&]() -> int {
    std::vector<std::pair<double, std::array<double, 3>>> nuclei;
    for (int i = 0; i != natom; ++i)
      nuclei.push_back({charges[i], {{centres[3 * i], centres[3 * i + 1], centres[3 * i + 2]}}});
    one_body(make_engine(Operator::overlap), s);
    one_body(make_engine(Operator::kinetic), t);
    Engine nuclear = make_engine(Operator::nuclear);
    nuclear.set_params(nuclei);
    one_body(nuclear, v);
    return kOk;
  });
}

// Schwarz factors: bounds[i * nshell + j] = sqrt(max |(ij|ij)|), so that |(ij|kl)| <= bounds(ij) bounds(kl).
int scf_shell_bounds(double* bounds) {
  return guarded([&]() -> int {
    Engine engine = make_engine(Operator::coulomb);
    engine.set_precision(0.);
    const auto& block = engine.results();
    const size_t n = shells.size();
    for (size_t i = 0; i != n; ++i)
      for (size_t j = 0; j <= i; ++j) {
        engine.compute(shells[i], shells[j], shells[i], shells[j]);
        double largest = 0.;
        const size_t nij = shells[i].size() * shells[j].size();
        if (block[0] != nullptr)
          for (size_t k = 0; k != nij; ++k) largest = std::max(largest, std::abs(block[0][k * nij + k]));
        bounds[i * n + j] = bounds[j * n + i] = std::sqrt(largest);
      }
    return kOk;
  });
}

// Prepares the pairs that scf_quartet will be asked for, keeping primitives that matter at `precision`;
// primitive_pairs returns how many each pair has. libint2 is quickest when l(first) >= l(second).
int scf_pairs_set(int npair, const int* first, const int* second, double precision, int* primitive_pairs) {
  return guarded([&]() -> int {
    coulomb.reset(new Engine(make_engine(Operator::coulomb)));
    coulomb->set_precision(precision);
    const double ln_precision = std::log(precision);
    pairs.clear();
    pairs.reserve(npair);
    for (int i = 0; i != npair; ++i) {
      pairs.push_back({first[i], second[i], ShellPair()});
      // A hair stricter than the engine, which otherwise sets the pair up anew at each call.
      pairs.back().data.init(shells[first[i]], shells[second[i]], ln_precision - 1e-6, coulomb->screening_method());
      primitive_pairs[i] = static_cast<int>(pairs.back().data.primpairs.size());
    }
    return kOk;
  });
}

// Integrals (bra|ket) over two prepared pairs, last index fastest, valid until the next call. Returns 2 when
// all are negligible at the precision of scf_pairs_set. Quickest when l(bra) <= l(ket).
int scf_quartet(int bra, int ket, const double** values) {
  return guarded([&]() -> int {
    const Pair& b = pairs[bra];
    const Pair& k = pairs[ket];
    coulomb->compute2<Operator::coulomb, BraKet::xx_xx, 0>(shells[b.first], shells[b.second], shells[k.first],
                                                         shells[k.second], &b.data, &k.data);
    *values = coulomb->results()[0];
    return *values == nullptr ? kNegligible : kOk;
  });
}

// The text of the last failure, blank padded.
void scf_integral_message(char* text, int length) {
  bool ended = false;
  for (int i = 0; i != length; ++i) {
    ended = ended || i >= static_cast<int>(sizeof message) || message[i] == '\0';
    text[i] = ended ? ' ' : message[i];
  }
}

}  // extern "C"
