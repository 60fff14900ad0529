import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile, Plugin } from 'esbuild';
import { phrasesIn } from '../../test/support/phrases.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'src', 'web', 'desk');
const out = join(root, 'media', 'desk');

/**
 * What makes a bundle the desk's page. Beside it stand its icons, what makes it an app, and `desk.html`, with the translations of the page's
 * own words.
 */
export const deskPage: Plugin = {
	name: 'desk-page',
	setup(build) {
		build.onEnd(({ metafile }) => {
			mkdirSync(out, { recursive: true });
			removeOld(metafile);
			for (const name of ['icon.svg', 'manifest.webmanifest', 'sw.js'])
				copyFileSync(join(sources, name), join(out, name));
			copyFileSync(join(root, 'media', 'icon.png'), join(out, 'icon.png'));
			const page = readFileSync(join(sources, 'desk.html'), 'utf8');
			// In a script element, `<` could end it.
			const words = JSON.stringify(translations()).replaceAll('<', String.raw`\u003c`);
			writeFileSync(
				join(out, 'desk.html'),
				page
					.replace('{}', () => words)
					.replace('</head>', () => `${neededFirst(metafile).map(preload).join('')}</head>`),
			);
		});
	},
};

/** Files of earlier builds: the name of a part changes with what is in it. */
function removeOld(metafile: Metafile | undefined): void {
	const made = Object.keys(metafile?.outputs ?? {}).map(file => basename(file));
	for (const name of globSync('*.js', { cwd: out }))
		if (name !== 'sw.js' && !made.includes(name)) rmSync(join(out, name));
}

/** The names of the parts that the page needs before it draws anything. */
function neededFirst(metafile: Metafile | undefined): string[] {
	const page = Object.entries(metafile?.outputs ?? {}).find(([file]) => basename(file) === 'desk.js');
	const needed = page?.[1].imports.filter(({ kind }) => kind === 'import-statement') ?? [];
	return needed.map(({ path }) => basename(path));
}

/** A browser asks for a part at once, and not after it has read the first. */
function preload(name: string): string {
	return `\t<link rel="modulepreload" href="a/${name}" />\n\t`;
}

/** By language, then by the English text. */
function translations(): Record<string, Record<string, string>> {
	const used = globSync('src/{web,words}/**/*.{ts,tsx}', { cwd: root }).flatMap(file =>
		phrasesIn(readFileSync(join(root, file), 'utf8')),
	);
	const bundles = globSync('l10n/bundle.l10n.*.json', { cwd: root });
	return Object.fromEntries(
		bundles.map(file => {
			const texts: Record<string, string> = JSON.parse(readFileSync(join(root, file), 'utf8'));
			const own = used.flatMap(text => (texts[text] === undefined ? [] : [[text, texts[text]]]));
			return [basename(file).split('.')[2] ?? '', Object.fromEntries(own)];
		}),
	);
}
