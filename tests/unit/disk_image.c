// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/disk_image.h"

#include "analyzer/xfs/disk/crc.h"

#include <endian.h>
#include <string.h>

void put16(void *buffer, size_t at, uint16_t value)
{
	value = htobe16(value);
	memcpy((char *)buffer + at, &value, sizeof(value));
}

void put32(void *buffer, size_t at, uint32_t value)
{
	value = htobe32(value);
	memcpy((char *)buffer + at, &value, sizeof(value));
}

void put64(void *buffer, size_t at, uint64_t value)
{
	value = htobe64(value);
	memcpy((char *)buffer + at, &value, sizeof(value));
}

void put8(void *buffer, size_t at, uint8_t value)
{
	((uint8_t *)buffer)[at] = value;
}

void put_crc(void *buffer, size_t bytes, size_t at)
{
	uint32_t crc = htole32(disk_crc_of(buffer, bytes, at));

	memcpy((char *)buffer + at, &crc, sizeof(crc));
}

void make_super(void *buffer, unsigned version)
{
	memset(buffer, 0, 512);
	memcpy(buffer, "XFSB", 4);
	put32(buffer, 4, 4096);
	put64(buffer, 8, 2024);
	memcpy((char *)buffer + 32, IMAGE_UUID, 16);
	put64(buffer, 48, 1030); /* log */
	put64(buffer, 56, 64);
	put64(buffer, 64, 65);
	put64(buffer, 72, 66);
	put32(buffer, 84, 1024);
	put32(buffer, 88, 2);
	put32(buffer, 96, 100);
	put16(buffer, 100, (uint16_t)(version | 0x0040)); /* with quota */
	put16(buffer, 102, 512);
	put16(buffer, 104, 512);
	put16(buffer, 106, 8);
	put8(buffer, 120, 12);
	put8(buffer, 121, 9);
	put8(buffer, 122, 9);
	put8(buffer, 123, 3);
	put8(buffer, 124, 10);
	put64(buffer, 128, 640);
	put64(buffer, 136, 40);
	put64(buffer, 160, 67);
	put64(buffer, 168, UINT64_MAX);
	if (version == 5) {
		put32(buffer, 216, 0x3); /* ftype, sparse inodes */
		put_crc(buffer, 512, SUPER_CRC_AT);
	}
}

void make_agi(void *buffer, unsigned version, uint32_t agno)
{
	memset(buffer, 0, 512);
	memcpy(buffer, "XAGI", 4);
	put32(buffer, 4, 1);
	put32(buffer, 8, agno);
	put32(buffer, 12, agno ? 1000 : 1024);
	put32(buffer, 16, 128);
	put32(buffer, 20, 3);
	put32(buffer, 24, 1);
	put32(buffer, 28, 28);
	memcpy((char *)buffer + 296, IMAGE_UUID, 16);
	if (version == 5)
		put_crc(buffer, 512, AGI_CRC_AT);
}

void make_inobt(void *block, unsigned version, uint32_t agno, uint32_t agbno, uint16_t level,
	uint16_t count)
{
	memset(block, 0, 4096);
	memcpy(block, version == 5 ? "IAB3" : "IABT", 4);
	put16(block, 4, level);
	put16(block, 6, count);
	put32(block, 8, UINT32_MAX);
	put32(block, 12, UINT32_MAX);
	if (version != 5)
		return;
	put64(block, 16, ((uint64_t)agno * 1024 + agbno) * 8);
	memcpy((char *)block + 32, IMAGE_UUID, 16);
	put32(block, 48, agno);
}

size_t inobt_entries_at(unsigned version)
{
	return version == 5 ? 56 : 16;
}

void put_record(void *block, unsigned version, unsigned index, uint32_t first, uint16_t holes,
	uint8_t count, uint8_t free_count, uint64_t free_mask)
{
	size_t at = inobt_entries_at(version) + index * 16U;

	put32(block, at, first);
	if (version == 5) {
		put16(block, at + 4, holes);
		put8(block, at + 6, count);
		put8(block, at + 7, free_count);
	} else {
		put32(block, at + 4, free_count);
	}
	put64(block, at + 8, free_mask);
}

void make_inode(void *buffer, unsigned version, uint64_t ino)
{
	memset(buffer, 0, 512);
	memcpy(buffer, "IN", 2);
	put16(buffer, 2, 0100640);
	put8(buffer, 4, (uint8_t)version);
	put8(buffer, 5, 2);
	put16(buffer, 6, version == 1 ? 7 : 0);
	put32(buffer, 8, 1000);
	put32(buffer, 12, 2000);
	put32(buffer, 16, version == 1 ? 0 : 70000);
	put16(buffer, 20, 0x1111);
	put16(buffer, 22, 0x0002);
	put32(buffer, 40, 1111); /* mtime */
	put32(buffer, 48, 2222); /* ctime */
	put64(buffer, 56, 12345);
	put64(buffer, 64, 4);
	put32(buffer, 76, 2);
	put16(buffer, 80, 1);
	put8(buffer, 82, 10);
	put8(buffer, 83, 2);
	put16(buffer, 90, 1 << 7); /* nodump */
	put32(buffer, 92, 99);
	if (version != 3)
		return;
	put64(buffer, 152, ino);
	memcpy((char *)buffer + 160, IMAGE_UUID, 16);
	put_crc(buffer, 512, INODE_CRC_AT);
}

void make_dir_inode(void *buffer, unsigned version, uint64_t ino, uint8_t format,
	uint64_t size_bytes, uint32_t extents)
{
	make_inode(buffer, version, ino);
	put16(buffer, 2, 0040755);
	put8(buffer, 5, format);
	put64(buffer, 56, size_bytes);
	put64(buffer, 64, 1000);
	put32(buffer, 76, extents);
	put16(buffer, 80, 0);
	put8(buffer, 82, 0);
	if (version == 3)
		put_crc(buffer, 512, INODE_CRC_AT);
}

size_t dir_fork_at(unsigned version)
{
	return version == 3 ? 176 : 100;
}

void put_extent(void *buffer, size_t at, uint64_t offset, uint64_t block, uint32_t count)
{
	put64(buffer, at, offset << 9 | block >> 43);
	put64(buffer, at + 8, block << 21 | count);
}

void make_bmbt(void *block, unsigned version, uint64_t ino, uint32_t agno, uint32_t agbno,
	uint16_t level, uint16_t count)
{
	memset(block, 0, 4096);
	memcpy(block, version == 5 ? "BMA3" : "BMAP", 4);
	put16(block, 4, level);
	put16(block, 6, count);
	put64(block, 8, UINT64_MAX);
	put64(block, 16, UINT64_MAX);
	if (version != 5)
		return;
	put64(block, 24, ((uint64_t)agno * 1024 + agbno) * 8);
	memcpy((char *)block + 40, IMAGE_UUID, 16);
	put64(block, 56, ino);
}

size_t bmbt_entries_at(unsigned version)
{
	return version == 5 ? 72 : 24;
}

size_t make_dir_block(void *block, unsigned version, bool single, uint64_t ino, uint64_t place)
{
	static const char *magics[] = {"XD2D", "XD2B", "XDD3", "XDB3"};

	memset(block, 0, 4096);
	memcpy(block, magics[(version == 5 ? 2 : 0) + single], 4);
	if (version != 5)
		return 16;
	put64(block, 8, place >> 9);
	memcpy((char *)block + 24, IMAGE_UUID, 16);
	put64(block, 40, ino);
	return 64;
}

size_t put_entry(
	void *block, size_t at, uint64_t ino, const void *name, uint8_t name_bytes, int type)
{
	size_t end = at + 9 + name_bytes + (type >= 0) + 2;

	end = (end + 7) / 8 * 8;
	put64(block, at, ino);
	put8(block, at + 8, name_bytes);
	memcpy((char *)block + at + 9, name, name_bytes);
	if (type >= 0)
		put8(block, at + 9 + name_bytes, (uint8_t)type);
	put16(block, end - 2, (uint16_t)at);
	return end;
}

void put_free(void *block, size_t at, size_t end)
{
	put16(block, at, 0xffff);
	put16(block, at + 2, (uint16_t)(end - at));
	put16(block, end - 2, (uint16_t)at);
}
