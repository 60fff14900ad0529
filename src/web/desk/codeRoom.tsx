import { useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import type { Line } from '../../picture/line.ts';
import { linesOf } from '../../picture/tokens.ts';
import type { FileReply } from '../../protocol/deskRooms.ts';
import { codeItem, type CodePlace } from './codeLink.tsx';
import { highlight, languageOf } from './highlight.ts';
import { isOf } from './isOf.ts';
import { useLook } from './look.ts';
import { go, place } from './nav.ts';
import { parsed } from './post.ts';
import { codePlace, fileReply } from './roomShapes.ts';
import { Share } from './share.tsx';
import { state } from './store.ts';
import { say } from './words.ts';

/** Lines that are shown at once. */
const PAGE = 300;

/** Lines of a file, or the question which file. */
export function CodeRoom() {
	const shown = parsed(place.value.item ?? '');
	const at = isOf(codePlace, shown) ? shown : undefined;
	return (
		<>
			<h1>{say(phrase`Code`)}</h1>
			<Open key={place.value.item} at={at} />
			{at && <Shown key={place.value.item} at={at} />}
		</>
	);
}

/** Takes `src/timer.js:12-20`, as agents write it. */
function Open({ at }: { at: CodePlace | undefined }) {
	const folders = state.value?.folders ?? [];
	const [folder, setFolder] = useState(at?.folder ?? folders[0]?.folder ?? '');
	const [text, setText] = useState(at ? placeText(at) : '');
	const open = (event: Event) => {
		event.preventDefault();
		const [, path = '', from, to] = /^(.*?)(?::(\d{1,9})(?:-(\d{1,9}))?)?$/.exec(text.trim()) ?? [];
		if (path !== '') go({ view: 'code', item: codeItem({ folder, path, from: numberOf(from), to: numberOf(to) }) });
	};
	return (
		<form class="open" onSubmit={open}>
			{folders.length > 1 && (
				<label class="field">
					{say(phrase`Folder`)}
					<select value={folder} onChange={({ currentTarget }) => setFolder(currentTarget.value)}>
						{folders.map(each => (
							<option key={each.key} value={each.folder}>
								{each.name}
							</option>
						))}
					</select>
				</label>
			)}
			<label class="field">
				{say(phrase`File, with lines if you like: src/timer.js:12-20`)}
				<input value={text} spellcheck={false} onInput={({ currentTarget }) => setText(currentTarget.value)} />
			</label>
			<button type="submit" class="button">
				{say(phrase`Open`)}
			</button>
		</form>
	);
}

function placeText({ path, from, to }: CodePlace): string {
	const lines = [from, to].filter(each => each !== undefined).join('-');
	return lines === '' ? path : `${path}:${lines}`;
}

function numberOf(text: string | undefined): number | undefined {
	return text === undefined || Number(text) < 1 ? undefined : Number(text);
}

function Shown({ at }: { at: CodePlace }) {
	const from = at.from ?? 1;
	const to = Math.min(at.to ?? from + PAGE - 1, from + PAGE - 1);
	const query = { folder: at.folder, path: at.path, from: String(from), to: String(Math.max(from, to)) };
	const found = useLook('files', query, fileReply);
	if (!found) return <p class="quiet">{say(phrase`Loading …`)}</p>;
	if (found.is === 'failed') return <p class="problem">{found.message}</p>;
	return <Lines at={at} file={found.value} />;
}

function Lines({ at, file }: { at: CodePlace; file: FileReply }) {
	const { path, from, total, text, isCut } = file;
	const language = languageOf(path);
	const lines = linesOf(highlight(text, language));
	const last = from + lines.length - 1;
	const turn = (first: number) => go({ view: 'code', item: codeItem({ ...at, from: first, to: first + PAGE - 1 }) });
	if (from > total) return <p class="quiet">{say(phrase`The file has ${total} lines.`)}</p>;
	return (
		<article class="worker">
			<h2 class="mono">{path}</h2>
			<p class="quiet">{say(phrase`Lines ${from} to ${last} of ${total}`)}</p>
			<pre tabIndex={0} class="numbered">
				{lines.map((line, at) => (
					<CodeLine number={from + at} line={line} />
				))}
			</pre>
			{isCut && <p class="note">{say(phrase`The file is too large for this page. VS Code shows all of it.`)}</p>}
			<div class="acts">
				{from > 1 && (
					<button type="button" class="button" onClick={() => turn(Math.max(1, from - PAGE))}>
						{say(phrase`Earlier Lines`)}
					</button>
				)}
				{last < total && (
					<button type="button" class="button" onClick={() => turn(last + 1)}>
						{say(phrase`Later Lines`)}
					</button>
				)}
			</div>
			<Share
				title={placeText({ ...at, from: at.from, to: at.to })}
				text={text}
				language={language}
				firstNumber={from}
			/>
		</article>
	);
}

function CodeLine({ number, line }: { number: number; line: Line }) {
	return (
		<span class="line">
			<span class="number" data-number={number} />
			<code>
				{line.map(({ text, scope = '' }) =>
					scope === '' ? text : <span class={`t-${scope.split('.')[0]}`}>{text}</span>,
				)}
				{'\n'}
			</code>
		</span>
	);
}
