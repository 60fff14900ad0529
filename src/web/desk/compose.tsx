import { useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import type { MessageReply, MessageRequest } from '../../protocol/deskApi.ts';
import { host, link, may, newNonce } from './host.ts';
import { messageReply } from './shapes.ts';
import { say } from './words.ts';

/** Words of the person's own to one agent. */
export function Compose({
	folder,
	task,
	worker,
	label = say(phrase`Write to this agent`),
}: Pick<MessageRequest, 'folder' | 'task' | 'worker'> & { label?: string }) {
	const [text, setText] = useState('');
	const [isSending, setSending] = useState(false);
	const [note, setNote] = useState({ words: '', isProblem: false });
	const send = async (kind: MessageRequest['kind']) => {
		setSending(true);
		setNote({ words: '', isProblem: false });
		const body: MessageRequest = { folder, task, worker, kind, text: text.trim(), nonce: newNonce() };
		const sent = await host().post('messages', body, messageReply);
		setSending(false);
		if (sent.is === 'failed') {
			setNote({ words: sent.message, isProblem: true });
			return;
		}
		setText('');
		setNote({ words: sentWords(kind, sent.value), isProblem: false });
	};
	if (link.value.is === 'live' && !may('feedback')) return <OnlyLooks />;
	const isOff = isSending || link.value.is !== 'live' || text.trim() === '';
	return (
		<section class="compose">
			<label class="field">
				{label}
				<textarea
					rows={3}
					maxLength={64 * 1024}
					value={text}
					readOnly={isSending}
					onInput={({ currentTarget }) => setText(currentTarget.value)}
				/>
			</label>
			<div class="acts">
				<button type="button" class="button" disabled={isOff} onClick={() => void send('feedback')}>
					{say(phrase`Send Feedback`)}
					<small>{say(phrase`read when it stops`)}</small>
				</button>
				<button type="button" class="button" disabled={isOff} onClick={() => void send('directive')}>
					{say(phrase`Steer Now`)}
					<small>{say(phrase`read at the next tool call`)}</small>
				</button>
			</div>
			<p class={note.isProblem ? 'problem' : 'quiet'} role="status">
				{note.words}
			</p>
		</section>
	);
}

/** Why a device sends and stops nothing. */
export function OnlyLooks() {
	return (
		<p class="note">
			{say(phrase`This device may only look. If it is to write too, let it in again at the computer.`)}
		</p>
	);
}

function sentWords(kind: MessageRequest['kind'], { running, held }: MessageReply): string {
	if (held !== undefined) return say(phrase`Queued, and held: ${held}`);
	if (!running) return say(phrase`Queued: no agent runs now. It is read at the next start.`);
	return kind === 'feedback'
		? say(phrase`Queued: it is read when the agent stops.`)
		: say(phrase`Queued: it is read at the next tool call.`);
}
