import { readdirSync, readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { SshHost } from '../protocol/executorId.ts';

/** An `Include` of an `Include`, at most: as `ssh` has it. */
const DEEPEST = 16;

/**
 * The hosts that the user's own `~/.ssh/config` and the files that it includes name, without patterns, in their order. It connects to
 * nothing. A file that cannot be read has none.
 */
export function sshHosts(home: string): string[] {
	const folder = join(home, '.ssh');
	return [...new Set(hostsIn(join(folder, 'config'), folder, home, 0))];
}

function hostsIn(file: string, folder: string, home: string, depth: number): string[] {
	if (depth > DEEPEST) return [];
	return linesOf(file).flatMap(line => {
		const [keyword, ...values] = wordsOf(line);
		if (keyword?.toLowerCase() === 'host') return values.filter(value => SshHost.safeParse(value).success);
		if (keyword?.toLowerCase() !== 'include') return [];
		return values.flatMap(value =>
			matching(absolute(value, folder, home)).flatMap(each => hostsIn(each, folder, home, depth + 1)),
		);
	});
}

/** The paths of a pattern with `*` and `?`, as `glob(3)` orders them. Node 20, which may run this, has no such function. */
function matching(pattern: string): string[] {
	return pattern.split('/').reduce<string[]>(
		(folders, part) => {
			if (!/[*?]/.test(part)) return folders.map(folder => `${folder}${part === '' ? '' : `/${part}`}`);
			const is = new RegExp(
				`^${part
					.replace(/[^\w*?]/g, '\\$&')
					.replace(/\*/g, '.*')
					.replace(/\?/g, '.')}$`,
				's',
			);
			const isHiddenToo = part.startsWith('.');
			return folders.flatMap(folder =>
				namesIn(`${folder}/`)
					.filter(name => is.test(name) && (isHiddenToo || !name.startsWith('.')))
					.sort()
					.map(name => `${folder}/${name}`),
			);
		},
		[''],
	);
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function linesOf(file: string): string[] {
	try {
		return readFileSync(file, 'utf8').split('\n');
	} catch {
		return [];
	}
}

/** `Keyword value "another value"`, or `Keyword=value`. */
function wordsOf(line: string): string[] {
	const words = line.trim().replace(/^(\w+)\s*=\s*/, '$1 ');
	if (words.startsWith('#')) return [];
	return [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, inQuotes, bare]) => inQuotes ?? bare ?? '');
}

function absolute(path: string, folder: string, home: string): string {
	if (path.startsWith('~/')) return join(home, path.slice(2));
	return isAbsolute(path) ? path : join(folder, path);
}
