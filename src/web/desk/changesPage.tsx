import { useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import type { ChangedFile } from '../../protocol/deskRooms.ts';
import type { DeskDelegate } from '../../protocol/deskState.ts';
import { isAtWork } from './delegateActs.tsx';
import { delegateWord } from './domainWords.ts';
import { host, link, may, newNonce } from './host.ts';
import { useLook } from './look.ts';
import { RemarkedDiff } from './remarkedDiff.tsx';
import { remarksOn, setRemarks } from './remarks.ts';
import { changesReply, diffReply } from './roomShapes.ts';
import { Share } from './share.tsx';
import { messageReply } from './shapes.ts';
import { say } from './words.ts';

/** What a delegate has changed, file by file, with the person's comments on lines. */
export function ChangesPage({ delegate }: { delegate: DeskDelegate }) {
	const [round, setRound] = useState(0);
	const { folder, id, title, state } = delegate;
	const found = useLook('changes', { folder, delegate: id }, changesReply, `${state} ${round}`);
	return (
		<article class="worker">
			<h1>{title}</h1>
			<p class="quiet">
				{[delegateWord(delegate), found?.is === 'done' ? sumOf(found.value) : ''].filter(Boolean).join(' · ')}
			</p>
			{!found && <p class="quiet">{say(phrase`Loading …`)}</p>}
			{found?.is === 'failed' && <p class="problem">{found.message}</p>}
			{found?.is === 'done' && (
				<>
					<ul class="rows files">
						{found.value.files.map(file => (
							<li key={file.path}>
								<File delegate={delegate} file={file} round={round} />
							</li>
						))}
					</ul>
					{found.value.more > 0 && (
						<p class="quiet">{say(phrase`VS Code shows ${found.value.more} further files.`)}</p>
					)}
				</>
			)}
			<SendRemarks delegate={delegate} />
			<button
				type="button"
				class="button"
				disabled={link.value.is !== 'live'}
				onClick={() => setRound(round + 1)}
			>
				{say(phrase`Look Again`)}
			</button>
		</article>
	);
}

function sumOf({ files, more, insertions, deletions }: { files: unknown[]; more: number } & Lines): string {
	const count = files.length + more;
	if (count === 0) return say(phrase`nothing has changed`);
	return `${say(phrase`${count} files`)}, ${linesOf({ insertions, deletions })}`;
}

interface Lines {
	insertions: number;
	deletions: number;
}

function linesOf({ insertions, deletions }: Lines): string {
	return `+${insertions} −${deletions}`;
}

/** The words of git's letters. */
function statusWord({ status, before }: ChangedFile): string {
	switch (status) {
		case 'added':
			return say(phrase`added`);
		case 'modified':
			return '';
		case 'deleted':
			return say(phrase`deleted`);
		case 'renamed':
			return say(phrase`renamed, before: ${before}`);
	}
}

function File({ delegate, file, round }: { delegate: DeskDelegate; file: ChangedFile; round: number }) {
	const [isOpen, setOpen] = useState(false);
	const count = remarksOn(delegate.key).filter(({ path }) => path === file.path).length;
	return (
		<details class="row" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
			<summary>
				<span class="row-top">
					<strong class="mono">{file.path}</strong>
					<span class="quiet">{file.lines ? linesOf(file.lines) : say(phrase`binary`)}</span>
				</span>
				<span class="quiet">{statusWord(file)}</span>
				{count > 0 && <span class="chip">{say(phrase`Comments: ${count}`)}</span>}
			</summary>
			{isOpen && <FileDiff delegate={delegate} path={file.path} round={round} />}
		</details>
	);
}

function FileDiff({ delegate, path, round }: { delegate: DeskDelegate; path: string; round: number }) {
	const query = { folder: delegate.folder, delegate: delegate.id, path };
	const found = useLook('diff', query, diffReply, round);
	if (!found) return <p class="quiet">{say(phrase`Loading …`)}</p>;
	if (found.is === 'failed') return <p class="problem">{found.message}</p>;
	const { text, isCut } = found.value;
	return (
		<>
			{text === '' && !isCut && <p class="quiet">{say(phrase`There are no lines to show.`)}</p>}
			{text !== '' && <RemarkedDiff delegate={delegate.key} path={path} text={text} />}
			{text !== '' && <Share title={path} text={text} language="diff" />}
			{isCut && <p class="note">{say(phrase`The file is too large for this page. VS Code shows all of it.`)}</p>}
		</>
	);
}

/** All comments go in one message. */
function SendRemarks({ delegate }: { delegate: DeskDelegate }) {
	const [isSending, setSending] = useState(false);
	const [note, setNote] = useState({ words: '', isProblem: false });
	const { key, id, folder } = delegate;
	const remarks = remarksOn(key);
	const send = async () => {
		setSending(true);
		const body = { folder, remarks, nonce: newNonce() };
		const sent = await host().post(`delegates/${id}/remarks`, body, messageReply);
		setSending(false);
		// Those that were written meanwhile stay.
		if (sent.is === 'done')
			setRemarks(
				key,
				remarksOn(key).filter(each => !remarks.includes(each)),
			);
		setNote(
			sent.is === 'done'
				? { words: say(phrase`Sent: it reads your comments before it is done.`), isProblem: false }
				: { words: sent.message, isProblem: true },
		);
	};
	return (
		<section class="answer" aria-label={say(phrase`Your comments`)}>
			{remarks.length > 0 && !isAtWork(delegate) && (
				<p class="note">
					{say(phrase`The delegate has ended. Send your comments from VS Code: it starts again with them.`)}
				</p>
			)}
			{remarks.length > 0 && (
				<div class="acts">
					<button
						type="button"
						class="button yes"
						disabled={isSending || link.value.is !== 'live' || !may('feedback') || !isAtWork(delegate)}
						onClick={() => void send()}
					>
						{isSending ? say(phrase`Sending …`) : say(phrase`Send the Comments (${remarks.length})`)}
					</button>
				</div>
			)}
			<p class={note.isProblem ? 'problem' : 'quiet'} role="status">
				{note.words}
			</p>
		</section>
	);
}
