#include <weft/compiler/cache/signature.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <sstream>

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <weft/base/error.h>
#include <weft/base/file.h>
#include <weft/base/knobs.h>
#include <weft/compiler/cache/disk_cache.h>

namespace weft::compiler {

namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using SigningKey = std::unique_ptr<EVP_PKEY, Free>;
using Context = std::unique_ptr<EVP_MD_CTX, Free>;

constexpr std::size_t private_key_size = 32;

const unsigned char* raw(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
unsigned char* raw(std::string& bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }

constexpr std::string_view hex_digits = "0123456789abcdefABCDEF";

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    text += hex_digits[static_cast<unsigned char>(c) >> 4];
    text += hex_digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

std::filesystem::path key_path() {
  if (const std::string chosen = knobs::key_file(); !chosen.empty()) return chosen;
  const auto variable = [](const char* name) -> std::filesystem::path {
    const char* value = std::getenv(name);
    return value && *value == '/' ? value : "";
  };
  if (const auto base = variable("XDG_CONFIG_HOME"); !base.empty()) return base / "weft" / "key";
  const auto home = variable("HOME");
  require(!home.empty(), "there is no folder for the key that signs artifacts: set WEFT_KEY_FILE");
  return home / ".config" / "weft" / "key";
}

// Writes the key file completely, readable only by this user, and never over an existing file, which another process or thread may have
// created.
void write_key(const std::filesystem::path& path, std::string_view bytes) {
  if (path.has_parent_path()) make_folder(path.parent_path());
  std::string temporary = path.string() + ".XXXXXX";
  {
    const Descriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
    if (file.number() < 0) detail::fail_with_errno("write", temporary, errno);
    if (::write(file.number(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      detail::fail_with_errno("write", temporary, errno);
  }
  const bool failed = ::link(temporary.c_str(), path.c_str()) != 0 && errno != EEXIST;
  const int error = errno;
  remove_file(temporary);
  if (failed) detail::fail_with_errno("write", path, error);
}

void make_key(const std::filesystem::path& path) {
  const SigningKey key(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  WEFT_ASSERT(key, "OpenSSL makes no key");
  std::string bytes(private_key_size, '\0');
  std::size_t size = bytes.size();
  WEFT_ASSERT(EVP_PKEY_get_raw_private_key(key.get(), raw(bytes), &size) == 1, "OpenSSL gives no key");
  write_key(path, bytes);
}

SigningKey own_key() {
  const auto path = key_path();
  if (!std::filesystem::exists(path)) make_key(path);
  const Status owner = check_owner(path);
  require(owner.ok(), "the key that signs artifacts is not used: ", owner.reason());
  const std::string bytes = read_file(path, private_key_size);
  require(bytes.size() == private_key_size, "the key that signs artifacts, ", path.string(), ", is damaged");
  SigningKey key(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, raw(bytes), bytes.size()));
  require(key != nullptr, "the key that signs artifacts, ", path.string(), ", is damaged");
  return key;
}

std::string public_part(const SigningKey& key) {
  std::string bytes(public_key_size, '\0');
  std::size_t size = bytes.size();
  WEFT_ASSERT(EVP_PKEY_get_raw_public_key(key.get(), raw(bytes), &size) == 1, "OpenSSL gives no public key");
  return bytes;
}

bool is_trusted(std::string_view public_key) {
  return trusted_keys().contains(hex(public_key)) ||
         (std::filesystem::exists(key_path()) && public_part(own_key()) == public_key);
}

}  // namespace

std::string sign(std::string bytes) {
  const SigningKey key = own_key();
  bytes += public_part(key);
  std::string signature(signature_size, '\0');
  std::size_t size = signature.size();
  const Context context(EVP_MD_CTX_new());
  WEFT_ASSERT(EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
                  EVP_DigestSign(context.get(), raw(signature), &size, raw(bytes), bytes.size()) == 1,
              "OpenSSL does not sign");
  return bytes + signature;
}

std::string_view verify(std::string_view signed_bytes) {
  require(signed_bytes.size() >= public_key_size + signature_size, "it is truncated");
  const std::string_view covered = signed_bytes.substr(0, signed_bytes.size() - signature_size);
  const std::string_view signature = signed_bytes.substr(covered.size());
  const std::string_view signer = covered.substr(covered.size() - public_key_size);
  const SigningKey key(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw(signer), signer.size()));
  const Context context(EVP_MD_CTX_new());
  require(key && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
              EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(covered), covered.size()) == 1,
          "it is damaged: its signature does not match its bytes");
  require(is_trusted(signer), "it is signed by ", hex(signer),
          ", who is not known: if you trust that key, put it in WEFT_TRUSTED_KEYS");
  return covered.substr(0, covered.size() - public_key_size);
}

std::set<std::string> trusted_keys() {
  std::set<std::string> keys;
  std::istringstream list(knobs::trusted_keys());
  for (std::string key; std::getline(list, key, ',');) {
    if (key.empty()) continue;
    const bool is_key = key.size() == 2 * public_key_size && key.find_first_not_of(hex_digits) == key.npos;
    require(is_key, "WEFT_TRUSTED_KEYS: expected keys of ", 2 * public_key_size, " hexadecimal digits, got '", key,
            "'");
    std::ranges::transform(key, key.begin(), [](char c) { return c >= 'A' && c <= 'F' ? c + ('a' - 'A') : c; });
    keys.insert(key);
  }
  return keys;
}

std::string own_public_key() { return hex(public_part(own_key())); }

}  // namespace weft::compiler
