import { phrase } from '../../base/phrase.ts';
import type { DeskTask, DeskWorker } from '../../protocol/deskState.ts';
import { alertOf, saidOf } from './domainWords.ts';
import { folderName, go, place } from './nav.ts';
import { Phase } from './phase.tsx';
import { questions, tasks } from './store.ts';
import { keyOf } from './tasks.ts';
import { age } from './times.ts';
import { say } from './words.ts';
import { WorkerPage } from './workerPage.tsx';

/** The agents by task, or one of them. */
export function AgentsView() {
	const { item } = place.value;
	if (item !== undefined) {
		const found = tasks.value
			.flatMap(task => task.workers.map(worker => ({ task, worker })))
			.find(({ task, worker }) => keyOf(task, worker) === item);
		return found ? (
			<WorkerPage key={item} {...found} />
		) : (
			<p class="quiet">{say(phrase`This agent is no longer here.`)}</p>
		);
	}
	return (
		<>
			<h1>{say(phrase`Agents`)}</h1>
			{tasks.value.length === 0 && <p class="quiet">{say(phrase`No task yet. Start one in VS Code.`)}</p>}
			{tasks.value.map(task => (
				<section key={task.key} class="task">
					<h2>
						{task.title}
						<span class="quiet"> {folderName(task.folder)}</span>
					</h2>
					<ul class="rows">
						{task.workers.map(worker => (
							<li key={worker.worker}>
								<WorkerRow task={task} worker={worker} />
							</li>
						))}
					</ul>
				</section>
			))}
		</>
	);
}

function WorkerRow({ task, worker }: { task: DeskTask; worker: DeskWorker }) {
	const asked = questions.value.find(
		each => each.isOpen && each.folder === task.folder && each.task === task.task && each.worker === worker.worker,
	);
	const doing = [worker.tool, worker.summary].filter(Boolean).join(': ');
	return (
		<button type="button" class="row" onClick={() => go({ view: 'agents', item: keyOf(task, worker) })}>
			<span class="row-top">
				<strong>
					{worker.agentName}
					{worker.worker !== 'worker' && ` · ${worker.worker}`}
				</strong>
				<span class="quiet">{age(worker.since)}</span>
			</span>
			<span class="row-phase">
				<Phase worker={worker} />
				{worker.queued > 0 && <span class="chip">{say(phrase`${worker.queued} queued`)}</span>}
				{(worker.subagents ?? 0) > 0 && <span class="chip">{say(phrase`Subagents: ${worker.subagents}`)}</span>}
			</span>
			{worker.alert && <span class="row-what">{alertOf(worker)}</span>}
			{worker.said && <span class="row-what quiet">{saidOf(worker)}</span>}
			{asked ? (
				<span class="row-what mono">{asked.title}</span>
			) : (
				doing !== '' && worker.phase !== 'idle' && <span class="row-what mono">{doing}</span>
			)}
		</button>
	);
}
