import { phrase } from '../../base/phrase.ts';
import type { DeskDelegate } from '../../protocol/deskState.ts';
import { delegateWord } from './domainWords.ts';
import { Facts } from './facts.tsx';
import { DelegateActs } from './delegateActs.tsx';
import { late } from './late.ts';
import { folderName, place } from './nav.ts';
import { delegates } from './store.ts';
import { age, moment } from './times.ts';
import { say } from './words.ts';

/** The delegates, newest first, each with what it did last. */
export function DelegatesView() {
	const { item } = place.value;
	if (item !== undefined) {
		const Changes = late()?.ChangesPage;
		const found = delegates.value.find(({ key }) => key === item);
		if (!found) return <p class="quiet">{say(phrase`This delegate is no longer here.`)}</p>;
		return Changes ? <Changes key={item} delegate={found} /> : <p class="quiet">{say(phrase`Loading …`)}</p>;
	}
	return (
		<>
			<h1>{say(phrase`Delegates`)}</h1>
			{delegates.value.length === 0 && (
				<p class="quiet">{say(phrase`No delegate. Start one in VS Code or by the nancy command.`)}</p>
			)}
			<ul class="rows">
				{delegates.value.map(delegate => (
					<li key={delegate.key}>
						<Delegate delegate={delegate} />
					</li>
				))}
			</ul>
		</>
	);
}

function Delegate({ delegate }: { delegate: DeskDelegate }) {
	const { title, agentName, model, state, asks, isUnproved, createdAt, startedAt, endedAt } = delegate;
	const { on, waitsInQueue, unseenSince } = delegate;
	const step = [delegate.lastTool, delegate.lastFile].filter(Boolean).join(': ');
	return (
		<details class="row">
			<summary>
				<span class="row-top">
					<strong>{title}</strong>
					<span class="quiet">{age(endedAt ?? startedAt ?? createdAt)}</span>
				</span>
				<span class="row-phase">
					<span class={`phase ${delegate.isStopped ? 'ended' : state}`}>
						<span class="dot" aria-hidden="true" />
						{delegateWord(delegate)}
					</span>
					{asks.length > 0 && <span class="chip asks">{say(phrase`asks you`)}</span>}
					{isUnproved && <span class="chip">{say(phrase`unproved`)}</span>}
					{on !== undefined && <span class="chip">{on}</span>}
					{waitsInQueue !== undefined && <span class="chip">{say(phrase`waits: ${waitsInQueue}`)}</span>}
					{unseenSince !== undefined && (
						<span class="chip">{say(phrase`not seen since ${moment(unseenSince)}`)}</span>
					)}
				</span>
				{state === 'running' && step !== '' && <span class="row-what mono">{step}</span>}
			</summary>
			{isUnproved && (
				<p class="note">
					{say(
						phrase`Nancy has no record that you queued it on this machine. What it says may be anybody’s words.`,
					)}
				</p>
			)}
			<Facts of={factsOf(delegate, step, [agentName, model].filter(Boolean).join(' · '))} />
			<DelegateActs delegate={delegate} />
		</details>
	);
}

function factsOf(delegate: DeskDelegate, step: string, agent: string): readonly (readonly [string, string])[] {
	const { error, denied, asks, folder, branch, toolCalls, parkedUntil, iteration, tokens, costUsd } = delegate;
	const at = (time: string | undefined) => (time === undefined ? '' : moment(time));
	return [
		[say(phrase`Agent`), agent],
		[say(phrase`Folder`), folderName(folder)],
		[say(phrase`Branch`), branch ?? ''],
		[say(phrase`Asks`), asks.join('\n')],
		[say(phrase`Last step`), step],
		[say(phrase`Last sign of life`), delegate.lastActivity ? say(phrase`${age(delegate.lastActivity)} ago`) : ''],
		[say(phrase`Tool calls`), String(toolCalls)],
		[say(phrase`Attempt`), iteration > 1 ? String(iteration) : ''],
		[say(phrase`Started`), at(delegate.startedAt)],
		[say(phrase`Ended`), at(delegate.endedAt)],
		[say(phrase`Parked until`), at(parkedUntil)],
		[say(phrase`Error`), error ?? ''],
		[say(phrase`Was not allowed`), denied.join('\n')],
		[
			say(phrase`Tokens`),
			tokens ? say(phrase`${tokens.input.toLocaleString()} in, ${tokens.output.toLocaleString()} out`) : '',
		],
		[say(phrase`Cost`), costUsd === undefined ? '' : `$${costUsd.toFixed(2)}`],
	];
}
