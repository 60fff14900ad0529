import type { ComponentChildren } from 'preact';
import { createElement } from 'preact';
import type { DeskQuestion } from '../../protocol/deskState.ts';
import { markdownTree, type Piece } from '../page/markdownTree.ts';
import { diffLines } from './diffLines.ts';
import { late } from './late.ts';
import { ShareLater } from './later.tsx';

/** Texts of agents as elements. No text becomes HTML, an attribute or a link. */

/** Another person's Markdown. */
export function Markdown({ text }: { text: string }) {
	return <div class="prose">{markdownTree(text).map(drawn)}</div>;
}

function drawn(piece: Piece): ComponentChildren {
	if (typeof piece === 'string') return piece;
	if (piece.language !== undefined)
		return <Code text={piece.children.map(String).join('')} language={piece.language} />;
	// A wide block scrolls by itself, also by key.
	const props = piece.tag === 'pre' || piece.tag === 'table' ? { tabIndex: 0 } : {};
	const element = createElement(piece.tag, props, ...piece.children.map(drawn));
	const [code] = piece.children;
	if (piece.tag !== 'pre' || typeof code !== 'object' || code.language === undefined) return element;
	return (
		<>
			{element}
			<ShareLater title={code.language} text={code.children.map(String).join('')} language={code.language} />
		</>
	);
}

/** Code in the colours of its language, as soon as they are loaded. */
export function Code({ text, language }: { text: string; language: string }) {
	const tokens = language === '' ? undefined : late()?.highlight?.(text, language);
	return (
		<code>
			{(tokens ?? [{ text, scope: '' }]).map(({ text: part, scope }) =>
				scope === '' ? part : <span class={`t-${scope.split('.')[0]}`}>{part}</span>,
			)}
		</code>
	);
}

/** A change in one column. The sign at the beginning of a line says the same as its colour. */
export function Diff({ text }: { text: string }) {
	const lines = diffLines(text);
	const hasNumbers = lines.some(({ before }) => before !== undefined);
	return (
		<code class="diff">
			{lines.map(({ is, text: line, before, after }) => (
				<span class={is}>
					<span class={hasNumbers ? 'number' : ''} data-number={is === 'removed' ? before : after} />
					<span>{`${line}\n`}</span>
				</span>
			))}
		</code>
	);
}

/** The language of a request. A command for another shell than POSIX is plain. */
export function languageOf(bodyIs: DeskQuestion['bodyIs'], tool: string): string {
	if (bodyIs === 'json') return 'json';
	return bodyIs === 'command' && !/power/i.test(tool) ? 'bash' : '';
}
