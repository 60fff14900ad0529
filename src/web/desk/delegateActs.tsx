import { useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import type { DeskDelegate } from '../../protocol/deskState.ts';
import { OnlyLooks } from './compose.tsx';
import { host, link, may, newNonce } from './host.ts';
import { go } from './nav.ts';
import { stopReply } from './shapes.ts';
import { say } from './words.ts';

/** Whether it will still do something. */
export function isAtWork({ state }: DeskDelegate): boolean {
	return state === 'queued' || state === 'running' || state === 'parked';
}

/** What can be done with a delegate. */
export function DelegateActs({ delegate }: { delegate: DeskDelegate }) {
	const { key, hasChanges } = delegate;
	const maySend = may('feedback') || link.value.is !== 'live';
	return (
		<>
			<div class="acts">
				{hasChanges && (
					<button type="button" class="button" onClick={() => go({ view: 'delegates', item: key })}>
						{say(phrase`Changes`)}
					</button>
				)}
				{isAtWork(delegate) && maySend && <Stop delegate={delegate} />}
			</div>
			{isAtWork(delegate) && !maySend && <OnlyLooks />}
		</>
	);
}

/** Asks once more: what a delegate was about to do is not done then. */
function Stop({ delegate: { id, folder, title } }: { delegate: DeskDelegate }) {
	const [is, setIs] = useState<'offered' | 'asking' | 'stopping'>('offered');
	const [problem, setProblem] = useState('');
	const stop = async () => {
		setIs('stopping');
		setProblem('');
		const sent = await host().post(`delegates/${id}/stop`, { folder, nonce: newNonce() }, stopReply);
		if (sent.is === 'done') return;
		setIs('offered');
		setProblem(sent.message);
	};
	const isOff = link.value.is !== 'live' || is === 'stopping';
	if (is === 'offered')
		return (
			<>
				<button type="button" class="button no" disabled={isOff} onClick={() => setIs('asking')}>
					{say(phrase`Stop …`)}
				</button>
				<p class="problem" role="alert">
					{problem}
				</p>
			</>
		);
	return (
		<>
			<p class="wide">{say(phrase`Stop “${title}”? What it has changed stays in its folder.`)}</p>
			<button type="button" class="button" disabled={isOff} onClick={() => setIs('offered')}>
				{say(phrase`Back`)}
			</button>
			<button type="button" class="button no" disabled={isOff} onClick={() => void stop()}>
				{is === 'stopping' ? say(phrase`Stopping …`) : say(phrase`Stop It`)}
			</button>
		</>
	);
}
