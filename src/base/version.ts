/** A released version of a program: major, minor, patch. */
export type Version = readonly [major: number, minor: number, patch: number];

/** Finds `1.2.3` in a line that a `--version` printed, or `undefined`. */
export function parseVersion(text: string): Version | undefined {
	const match = /(\d+)\.(\d+)\.(\d+)/.exec(text);
	return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

export function isAtLeast(version: Version, floor: Version): boolean {
	for (let part = 0; part < 3; part++) {
		const difference = (version[part] ?? 0) - (floor[part] ?? 0);
		if (difference !== 0) return difference > 0;
	}
	return true;
}

export function formatVersion(version: Version): string {
	return version.join('.');
}
