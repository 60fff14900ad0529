import { copyFileSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';
import { phrasesIn } from '../../test/support/phrases.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = join(root, 'src', 'web', 'desk');

/**
 * What makes a bundle the desk's page: beside it stand its icon and `desk.html`, with the translations of the page's own words.
 */
export const deskPage: Plugin = {
	name: 'desk-page',
	setup(build) {
		build.onEnd(() => {
			const out = join(root, 'media', 'desk');
			mkdirSync(out, { recursive: true });
			copyFileSync(join(sources, 'icon.svg'), join(out, 'icon.svg'));
			const page = readFileSync(join(sources, 'desk.html'), 'utf8');
			// In a script element, `<` could end it.
			const words = JSON.stringify(translations()).replaceAll('<', String.raw`\u003c`);
			writeFileSync(
				join(out, 'desk.html'),
				page.replace('{}', () => words),
			);
		});
	},
};

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
