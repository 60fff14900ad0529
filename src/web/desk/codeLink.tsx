import { host } from './host.ts';
import { go } from './nav.ts';

/** Files that are linked to from one text. */
const MOST = 6;

export interface CodePlace {
	folder: string;
	path: string;
	from?: number | undefined;
	to?: number | undefined;
}

/** The item of the view of code for some lines of a file. */
export function codeItem({ folder, path, from, to }: CodePlace): string {
	return JSON.stringify({ folder, path, from, to });
}

/** `src/timer.js:12`: leads to these lines on this page. */
export function CodeLink(of: CodePlace) {
	const lines = [of.from, of.to].filter(each => each !== undefined).join('-');
	return (
		<button type="button" class="chip code-link mono" onClick={() => go({ view: 'code', item: codeItem(of) })}>
			{of.path}
			{lines !== '' && `:${lines}`}
		</button>
	);
}

/** Files of the workspace that are named, on a page that can show them. Whether they are there is seen when one is opened. */
export function CodeLinks({ of }: { of: readonly CodePlace[] }) {
	if (of.length === 0 || host().surface !== 'page') return null;
	return (
		<p class="code-links">
			{of.slice(0, MOST).map(each => (
				<CodeLink key={codeItem(each)} {...each} />
			))}
		</p>
	);
}

/** A path with a folder or with lines, outside of web addresses. */
const NAMED =
	/(?<![\w./@:-])((?:[\w.-]{1,100}\/){0,20}[\w-][\w.-]{0,100}\.[a-z]\w{0,7})(?::(\d{1,7})(?:-(\d{1,7}))?)?(?![\w/])/gi;

/** The files that a text names, each once. */
export function filesIn(folder: string, text: string): CodePlace[] {
	const found = Array.from(text.matchAll(NAMED), ([, path = '', from, to]) => ({
		folder,
		path,
		...(from !== undefined && { from: Number(from) }),
		...(to !== undefined && { to: Number(to) }),
	}));
	const named = found.filter(({ path, from }) => path.includes('/') || from !== undefined);
	return [...new Map(named.map(each => [codeItem(each), each])).values()];
}
