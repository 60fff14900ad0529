import { readFileSync } from 'node:fs';

const END = 0x06054b50;
const ENTRY = 0x02014b50;

/** The files in a ZIP archive with their sizes in bytes, unpacked, as its directory at the end lists them. */
export function filesInZip(file: string): Map<string, number> {
	const zip = readFileSync(file);
	let end = zip.length - 22;
	while (end >= 0 && zip.readUInt32LE(end) !== END) end--;
	if (end < 0) throw new Error(`${file} is no ZIP archive`);
	const files = new Map<string, number>();
	let at = zip.readUInt32LE(end + 16);
	for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
		if (zip.readUInt32LE(at) !== ENTRY) throw new Error(`${file} has a broken directory`);
		const [name, extra, comment] = [28, 30, 32].map(offset => zip.readUInt16LE(at + offset)) as [
			number,
			number,
			number,
		];
		files.set(zip.toString('utf8', at + 46, at + 46 + name), zip.readUInt32LE(at + 24));
		at += 46 + name + extra + comment;
	}
	return files;
}
