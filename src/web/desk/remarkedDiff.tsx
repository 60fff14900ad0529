import { useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import { diffLines, type DiffLine } from './diffLines.ts';
import { may } from './host.ts';
import { remarksOn, setRemarks, type Remark } from './remarks.ts';
import { say } from './words.ts';

interface Of {
	/** The key of the delegate. */
	delegate: string;
	path: string;
}

/** A file's changes. The number of each line that is there now takes a comment. */
export function RemarkedDiff({ delegate, path, text }: Of & { text: string }) {
	const [asked, setAsked] = useState<number>();
	const mine = remarksOn(delegate).filter(each => each.path === path);
	return (
		<div class="diff remarked mono">
			{diffLines(text).map(line => {
				const now = numberNow(line);
				return (
					<>
						<Line line={line} ask={setAsked} />
						{mine
							.filter(remark => remark.line === now)
							.map(remark => (
								<Kept delegate={delegate} remark={remark} />
							))}
						{now !== undefined && now === asked && (
							<Editor delegate={delegate} path={path} line={now} close={() => setAsked(undefined)} />
						)}
					</>
				);
			})}
		</div>
	);
}

/** The number of a line in the present file. */
function numberNow({ is, after }: DiffLine): number | undefined {
	return is === 'added' || is === 'same' ? after : undefined;
}

function Line({ line, ask }: { line: DiffLine; ask: (line: number) => void }) {
	const now = numberNow(line);
	return (
		<div class={line.is}>
			{now !== undefined && may('feedback') ? (
				<button
					type="button"
					class="number"
					data-number={now}
					aria-label={say(phrase`Comment on line ${now}`)}
					onClick={() => ask(now)}
				/>
			) : (
				<span class="number" data-number={now ?? line.before} />
			)}
			<span>{line.text}</span>
		</div>
	);
}

function Editor({ delegate, path, line, close }: Of & { line: number; close: () => void }) {
	const [text, setText] = useState('');
	const keep = () => {
		setRemarks(delegate, [...remarksOn(delegate), { path, line, text: text.trim() }]);
		close();
	};
	return (
		<div class="remark">
			<label class="field">
				{say(phrase`What should it change in line ${line}?`)}
				<textarea
					rows={2}
					maxLength={4000}
					value={text}
					onInput={({ currentTarget }) => setText(currentTarget.value)}
				/>
			</label>
			<div class="acts">
				<button type="button" class="button" onClick={close}>
					{say(phrase`Back`)}
				</button>
				<button type="button" class="button" disabled={text.trim() === ''} onClick={keep}>
					{say(phrase`Add Comment`)}
				</button>
			</div>
		</div>
	);
}

function Kept({ delegate, remark }: { delegate: string; remark: Remark }) {
	const remove = () =>
		setRemarks(
			delegate,
			remarksOn(delegate).filter(each => each !== remark),
		);
	return (
		<div class="remark kept">
			<p>{remark.text}</p>
			<button type="button" class="button" onClick={remove}>
				{say(phrase`Remove`)}
			</button>
		</div>
	);
}
