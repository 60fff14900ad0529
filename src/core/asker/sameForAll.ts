import { lstatSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { hasErrno, NancyError } from '../../base/errors.ts';
import { shownPath } from './shownPath.ts';

/** Each process finds its own there: its folder, its open files. */
const OF_EACH = /^\/(?:proc(?:\/|$)|dev\/(?:fd|std))/i;

/** As many as Linux follows in one path. */
const MOST_LINKS = 40;

/**
 * Refuses a path of too many links. It also refuses a path that leads another process elsewhere, by a link through `/proc` such as
 * `/proc/self/cwd`. An agent's CLI would read what nobody has looked at.
 * @param path absolute; `a/../x` is another file than `x` where `a` is a link
 * @param plain folders that are known to be no links; gets those that are found
 * @param isOurs whether an agent may have made a link. Others may lead anywhere, as `/etc/mtab` does
 * @returns where it leads; `undefined` if nothing is there
 * @throws NancyError `not-trusted`
 */
export function requireSameForAll(
	path: string,
	plain = new Set<string>(),
	isOurs: (link: string) => boolean = () => true,
): string | undefined {
	const rest = partsOf(path);
	let at = '/';
	let link: string | undefined;
	for (let links = 0; rest.length > 0;) {
		const next = join(at, rest.shift() ?? '');
		if (OF_EACH.test(next)) {
			// Settings may name `/proc/meminfo`.
			if (link === undefined || !isOurs(link)) return undefined;
			throw new NancyError(
				'not-trusted',
				`${shownPath(path)} is a link that leads each program elsewhere, so nobody can look at what an agent would read; remove it`,
			);
		}
		if (plain.has(next)) {
			at = next;
			continue;
		}
		const found = look(next);
		if (!found) return undefined;
		if (!found.isSymbolicLink()) {
			at = next;
			if (found.isDirectory()) plain.add(next);
			continue;
		}
		link = next;
		// A program that follows them one part after the other gets further than one path does.
		if (++links > MOST_LINKS) {
			if (!isOurs(link)) return undefined;
			throw new NancyError('not-trusted', `${shownPath(path)} leads through too many links; remove one`);
		}
		const target = readlinkSync(next);
		rest.unshift(...partsOf(target));
		at = isAbsolute(target) ? '/' : dirname(next);
	}
	return at;
}

function partsOf(path: string): string[] {
	return path.split('/').filter(part => part !== '' && part !== '.');
}

/** `undefined` if nothing is there. */
function look(path: string): Stats | undefined {
	try {
		return lstatSync(path, { throwIfNoEntry: false });
	} catch (error) {
		if (hasErrno(error, 'ENOTDIR', 'ENAMETOOLONG')) return undefined;
		throw error;
	}
}
