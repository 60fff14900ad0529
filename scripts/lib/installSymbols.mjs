import { spawnSync } from 'node:child_process';
import { installPackages } from './installPackages.mjs';

/** A sign at the beginning of lines in Claude Code's terminal, which common fonts do not have. */
const RARE = '23bf';

/** Pictures of terminals need a font with the signs that agents draw. From Debian when none is there and we may install it. */
export async function installSymbols() {
	const { status, stdout } = spawnSync('fc-list', [`:charset=${RARE}`], { encoding: 'utf8' });
	// Where fonts are listed by another program, the system has its own.
	if (status !== 0 || stdout !== '' || process.getuid?.() !== 0) return;
	await installPackages(['fonts-symbola']);
}
