// .npz: the forms of NumPy's archives are read; damage, overlaps and zip bombs are an Error that names the entry.
#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <tests/data/little_endian.h>
#include <tests/error_of.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <weft/base/temporary_folder.h>
#include <weft/data/npy.h>

namespace weft::data {
namespace {

using testing::HasSubstr;

std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = ~0u;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

// Compresses into blocks of the type "stored", which need no compressor.
std::string deflated(const std::string& bytes) {
  return "\1" + little_endian(bytes.size(), 2) + little_endian(~bytes.size(), 2) + bytes;
}

struct Member {
  std::string name, contents;
  int method = 0;           // 8: deflated
  bool descriptor = false;  // sizes and CRC-32 follow the bytes, as in a stream
  bool zip64 = false;       // sizes are in an extra field
  int flags = 0;
  std::optional<std::uint64_t> claimed_size = {}, offset = {};
};

// Makes an archive of these members; zip64: with the end record of archives beyond 4 GiB.
std::string zip(const std::vector<Member>& members, bool zip64 = false) {
  std::string archive, directory;
  for (const Member& m : members) {
    const std::string stored = m.method == 8 ? deflated(m.contents) : m.contents;
    const std::uint64_t size = m.claimed_size.value_or(m.contents.size());
    const std::string sizes =
        m.zip64 ? std::string(8, '\xff') : little_endian(stored.size(), 4) + little_endian(size, 4);
    const std::string extra =
        m.zip64 ? little_endian(1, 2) + little_endian(16, 2) + little_endian(size, 8) + little_endian(stored.size(), 8)
                : "";
    const std::string crc = little_endian(crc32(m.contents), 4);
    const std::string start = little_endian(m.zip64 ? 45 : 20, 2) +
                              little_endian(static_cast<std::uint64_t>(m.flags | (m.descriptor ? 8 : 0)), 2) +
                              little_endian(static_cast<std::uint64_t>(m.method), 2) + little_endian(0, 2) +
                              little_endian(33, 2);
    const std::string lengths = little_endian(m.name.size(), 2) + little_endian(extra.size(), 2);
    directory += little_endian(0x02014b50, 4) + little_endian(45, 2) + start + crc + sizes + lengths +
                 little_endian(0, 10) + little_endian(m.offset.value_or(archive.size()), 4) + m.name + extra;
    archive += little_endian(0x04034b50, 4) + start + (m.descriptor ? std::string(12, '\0') : crc + sizes) + lengths +
               m.name + extra + stored;
    if (m.descriptor)
      archive += little_endian(0x08074b50, 4) + crc + little_endian(stored.size(), 4) + little_endian(size, 4);
  }
  const std::uint64_t begin = archive.size(), end = begin + directory.size();
  std::string count = little_endian(members.size(), 2),
              extent = little_endian(directory.size(), 4) + little_endian(begin, 4);
  archive += directory;
  if (zip64) {
    archive += little_endian(0x06064b50, 4) + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) +
               little_endian(0, 8) + little_endian(members.size(), 8) + little_endian(members.size(), 8) +
               little_endian(directory.size(), 8) + little_endian(begin, 8) + little_endian(0x07064b50, 4) +
               little_endian(0, 4) + little_endian(end, 8) + little_endian(1, 4);
    count.assign(2, '\xff');
    extent.assign(8, '\xff');
  }
  return archive + little_endian(0x06054b50, 4) + little_endian(0, 4) + count + count + extent + little_endian(0, 2);
}

std::string npy_member(const std::string& descr, const std::string& shape, const std::string& elements) {
  const std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\1\0", 8) + little_endian(header.size(), 2) + header + elements;
}

const std::string seven = npy_member("<i4", "(1,)", little_endian(7, 4)), five = npy_member("|u1", "()", "\5");

class Npz : public testing::Test {
 protected:
  std::vector<NpyArray> read(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return read_npz(path_);
  }
  std::string error(const std::string& bytes) {
    const std::string text = error_of([&] { read(bytes); });
    EXPECT_THAT(text, testing::AnyOf("", testing::StartsWith(path_.string() + ": ")));
    return text;
  }
  // Checks that these are the two arrays above.
  static void expect_both(const std::vector<NpyArray>& arrays) {
    ASSERT_EQ(arrays.size(), 2u);
    EXPECT_EQ(arrays[0].array.data<std::int32_t>()[0], 7);
    EXPECT_EQ(arrays[1].array.data<std::uint8_t>()[0], 5);
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "a.npz";
};

TEST_F(Npz, EveryFormOfAnArchiveIsRead) {
  for (const int method : {0, 8})
    for (const bool descriptor : {false, true})
      for (const bool zip64 : {false, true}) {
        if (descriptor && zip64) continue;  // NumPy writes no such entries
        SCOPED_TRACE(testing::Message() << method << descriptor << zip64);
        const std::vector<Member> members = {{"a.npy", seven, method, descriptor, zip64},
                                             {"b.npy", five, method, descriptor, zip64}};
        for (const bool zip64_end : {false, true}) expect_both(read(zip(members, zip64_end)));
      }
  EXPECT_TRUE(read(zip({})).empty());
}

TEST_F(Npz, WhatIsNoArchiveIsRefused) {
  EXPECT_THAT(error(""), HasSubstr("it has 0 bytes"));
  EXPECT_THAT(error(std::string(100, 'x')), HasSubstr("no directory at its end"));
  EXPECT_THAT(error(zip({{"junk.npy", "junk"}})), HasSubstr("junk.npy: no .npy file"));
  EXPECT_THAT(error(zip({{"a.npy", seven, 12}})), HasSubstr("a.npy: it is compressed by method 12"));
  EXPECT_THAT(error(zip({{"a.npy", seven, 0, false, false, 1}})), HasSubstr("a.npy: it is encrypted"));
  std::string short_of_entries = zip({});
  short_of_entries.replace(8, 4, std::string(4, '\xfe'));
  EXPECT_NE(error(short_of_entries), "");
}

TEST_F(Npz, AChangedByteIsFound) {
  std::string bytes = zip({{"a.npy", seven}, {"b.npy", five}});
  bytes[bytes.find(little_endian(7, 4) + "PK")] ^= 1;  // change an element
  EXPECT_THAT(error(bytes), HasSubstr("a.npy: damaged: its bytes do not match the CRC-32"));
}

TEST_F(Npz, DamageEndsInTheArraysOrAnError) {
  for (const int method : {0, 8}) {
    const std::string good = zip({{"a.npy", seven, method}, {"b.npy", five, method, true}});
    for (std::size_t i = 0; i < good.size(); ++i) {
      EXPECT_NE(error(good.substr(0, i)), "") << i;
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ (1 << (i % 8)));
      if (error(bad).empty()) expect_both(read(bad));
    }
  }
}

TEST_F(Npz, EntriesThatShareBytesAreRefused) {
  // Two entries at the same offset, with the same name and with different names.
  EXPECT_THAT(error(zip({{"a.npy", seven}, {.name = "a.npy", .contents = seven, .offset = 0}})),
              HasSubstr("two entries have one name"));
  EXPECT_THAT(error(zip({{"a.npy", seven}, {.name = "b.npy", .contents = seven, .offset = 0}})),
              HasSubstr("its directory and its entries do not agree"));
  // One entry inside another.
  std::vector<Member> members(1);
  const std::string big = npy_member("|u1", "(4000,)", std::string(4000, 'x'));
  const std::size_t header = 30 + 5;
  members[0] = {"a.npy", zip({{"b.npy", big}}).substr(0, header + big.size())};
  members.push_back({.name = "b.npy", .contents = big, .offset = header});
  std::string bytes = zip(members);
  const std::size_t second = header + members[0].contents.size();
  bytes.erase(second, header + big.size());  // remove the bytes of the second entry, so that it overlaps the first
  const std::uint64_t start = bytes.size() - 22 - 2 * (46 + 5);
  bytes.replace(bytes.size() - 6, 4, little_endian(start, 4));
  EXPECT_THAT(error(bytes), HasSubstr("b.npy: the entries take more bytes than the file has"));
}

TEST_F(Npz, ABombIsRefusedBeforeItUnpacks) {
  const Member bomb{.name = "a.npy", .contents = seven, .method = 8, .claimed_size = 4'000'000'000};
  EXPECT_THAT(error(zip({bomb})), HasSubstr("a.npy: with it the entries unpack to more than"));
  // Entries that unpack to more or less than they claim.
  EXPECT_NE(error(zip({{.name = "a.npy", .contents = seven + "more", .method = 8, .claimed_size = seven.size()}})), "");
  EXPECT_NE(error(zip({{.name = "a.npy", .contents = seven, .method = 8, .claimed_size = seven.size() + 4}})), "");
}

}  // namespace
}  // namespace weft::data
