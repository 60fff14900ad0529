import type { DeskWorker } from '../../protocol/deskState.ts';
import { phaseWord } from './domainWords.ts';

/** What an agent does, by its sign and its word. */
export function Phase({ worker }: { worker: DeskWorker }) {
	const isBad = worker.phase === 'ended' && worker.exitCode !== undefined;
	return (
		<span class={`phase ${isBad ? 'failed' : worker.phase}`}>
			<span class="dot" aria-hidden="true" />
			{phaseWord(worker)}
		</span>
	);
}
