import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The platforms that have a VSIX of their own, as VS Code names them, and whether Nancy can watch a terminal there. */
export const TARGETS: Readonly<Record<string, { watches: boolean }>> = {
	'linux-x64': { watches: true },
	'linux-arm64': { watches: true },
	'darwin-x64': { watches: true },
	'darwin-arm64': { watches: true },
	// The guard is a shell script, so Nancy's programs run in no terminal there.
	'win32-x64': { watches: false },
};

/** The platforms whose binaries of pseudo-terminals are shipped. */
export const WATCHED: readonly string[] = Object.keys(TARGETS).filter(target => TARGETS[target]?.watches);

/** The VSIX of a target; that of any platform without one. */
export function vsixOf(target?: string): string {
	return join(root, 'out', target === undefined ? 'nancy.vsix' : `nancy-${target}.vsix`);
}

const own = `${process.platform}-${process.arch}`;
/** The target of this machine; `undefined` if it has none. */
export const ownTarget: string | undefined = Object.hasOwn(TARGETS, own) ? own : undefined;
