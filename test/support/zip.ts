import { readFileSync } from 'node:fs';
import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const ENTRY = 0x02014b50;

interface ZippedFile {
	/** In bytes, unpacked. */
	size: number;
	text(): string;
}

/** The files in a ZIP archive, as its directory at the end lists them. */
export function filesInZip(file: string): Map<string, ZippedFile> {
	const zip = readFileSync(file);
	let end = zip.length - 22;
	while (end >= 0 && zip.readUInt32LE(end) !== END) end--;
	if (end < 0) throw new Error(`${file} is no ZIP archive`);
	const files = new Map<string, ZippedFile>();
	let at = zip.readUInt32LE(end + 16);
	for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
		if (zip.readUInt32LE(at) !== ENTRY) throw new Error(`${file} has a broken directory`);
		const [name, extra, comment] = [28, 30, 32].map(offset => zip.readUInt16LE(at + offset)) as [
			number,
			number,
			number,
		];
		const [isPacked, packed, start] = [
			zip.readUInt16LE(at + 10),
			zip.readUInt32LE(at + 20),
			zip.readUInt32LE(at + 42),
		];
		files.set(zip.toString('utf8', at + 46, at + 46 + name), {
			size: zip.readUInt32LE(at + 24),
			text() {
				const from = start + 30 + zip.readUInt16LE(start + 26) + zip.readUInt16LE(start + 28);
				const bytes = zip.subarray(from, from + packed);
				return (isPacked ? inflateRawSync(bytes) : bytes).toString('utf8');
			},
		});
		at += 46 + name + extra + comment;
	}
	return files;
}
