// Signatures (Ed25519) on what is carried to other machines. A signature tells who made some bytes; whom to believe is the user's
// to say: one's own key, and those of WEFT_TRUSTED_KEYS.
#pragma once

#include <string>
#include <string_view>

namespace weft::compiler {

inline constexpr std::size_t public_key_size = 32, signature_size = 64;

// The bytes, the signer's public key and the signature of both, with this user's key. Makes the key where there is none.
std::string sign(std::string bytes);
// What was signed. Throws Error: what is wrong with it.
std::string_view verify(std::string_view signed_bytes);

// The public key of this user, 64 hexadecimal digits, for the WEFT_TRUSTED_KEYS of others. Makes the key where there is none.
std::string own_public_key();

}  // namespace weft::compiler
