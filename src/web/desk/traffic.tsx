import { useEffect, useRef, useState } from 'preact/hooks';
import { phrase } from '../../base/phrase.ts';
import type { TrafficReply } from '../../protocol/deskRooms.ts';
import type { DeskTask, DeskWorker } from '../../protocol/deskState.ts';
import { CodeLink } from './codeLink.tsx';
import { useLook } from './look.ts';
import { trafficReply } from './roomShapes.ts';
import { age } from './times.ts';
import { say } from './words.ts';

/** How often the traffic of an agent is looked at while it works, in milliseconds. */
const PAUSE_MS = 1000;

/** What an agent has reported lately, newest first. */
export function Traffic({ task: { folder, task }, worker }: { task: DeskTask; worker: DeskWorker }) {
	const last = useCalm(`${worker.at} ${worker.phase} ${worker.tool}`);
	const found = useLook('traffic', { folder, task, worker: worker.worker }, trafficReply, last);
	if (!found) return <p class="quiet">{say(phrase`Loading …`)}</p>;
	if (found.is === 'failed') return <p class="problem">{found.message}</p>;
	const { records } = found.value;
	if (records.length === 0) return <p class="quiet">{say(phrase`It has reported nothing yet.`)}</p>;
	return (
		<ol class="rows traffic">
			{records.toReversed().map(record => (
				<li key={`${record.id} ${record.at}`} class={lookOf(record)}>
					<span class="row-top">
						<span class="mono">{record.text}</span>
						<time class="quiet" dateTime={record.at}>
							{age(record.at)}
						</time>
					</span>
					{record.path !== undefined && <CodeLink folder={folder} path={record.path} />}
				</li>
			))}
		</ol>
	);
}

function lookOf({ kind }: TrafficReply['records'][number]): string {
	return kind === 'tool-failed' || kind === 'stop-failed' || kind === 'permission-denied' ? 'failed' : '';
}

/** The value, which changes no more often than the pause lets it. */
function useCalm(value: string): string {
	const [calm, setCalm] = useState(value);
	const newest = useRef(value);
	newest.current = value;
	useEffect(() => {
		if (calm === value) return undefined;
		const timer = setTimeout(() => setCalm(newest.current), PAUSE_MS);
		return () => clearTimeout(timer);
	}, [calm, calm === value]);
	return calm;
}
