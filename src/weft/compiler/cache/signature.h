// Ed25519 signatures on bytes that are carried to other machines. A signature says who made the bytes; the user decides whom to trust: the
// user's own key and the keys in WEFT_TRUSTED_KEYS are trusted.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace weft::compiler {

inline constexpr std::size_t public_key_size = 32, signature_size = 64;

// Returns the bytes followed by the signer's public key and the signature of both, made with this user's key. Creates the key if there is
// none.
std::string sign(std::string bytes);
// Returns the bytes that were signed. Throws Error with the reason if the signature is wrong or not trusted.
std::string_view verify(std::string_view signed_bytes);

// Returns the keys in WEFT_TRUSTED_KEYS, in lower case. Throws Error for a key that is malformed.
std::set<std::string> trusted_keys();

// Returns this user's public key as 64 hexadecimal digits, for the WEFT_TRUSTED_KEYS of other users. Creates the key if there is none.
std::string own_public_key();

}  // namespace weft::compiler
