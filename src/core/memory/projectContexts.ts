import type { CompiledNotes } from '../../protocol/compiledNotes.ts';
import type { MemoryTask } from '../../protocol/memory.ts';
import type { ProjectName } from '../../protocol/memoryNames.ts';
import type { OwnFolder } from '../files/ownFolder.ts';
import { planOf } from './changes.ts';
import { chosenProject } from './chosenProject.ts';
import { compile, type Candidate, type Compiled } from './compile.ts';
import { hashOfNotes, writeCompiled } from './compiledFiles.ts';
import { hasSecret, isInstruction } from './risks.ts';
import { known } from './sources.ts';
import type { Checkout, MemoryPlace } from './state.ts';
import { MOST_PARENTS, type MemoryStore } from './store.ts';

/** The next task is most likely about the files of these. */
const LATEST_TASKS = 3;

/** What agents are told of projects: compiled from notes, plan and session. */
export class ProjectContexts {
	constructor(private readonly store: MemoryStore) {}

	/** What the next task of a project is told. @param since the first task of the present session; nothing of it is told without */
	async ofTask(name: ProjectName, place: MemoryPlace, prompt: string, since: number | undefined): Promise<Compiled> {
		const project = this.store.folderOf(name);
		const { tasks } = await project.tasks();
		const isPaused = (await project.record()).status === 'paused';
		if (isPaused) return { text: '', told: [], tokens: 0 };
		const candidates: Candidate[] = [];
		for (const [steps, each] of (await this.store.line(project)).entries()) {
			if ((await each.record()).status !== 'active') continue;
			// A link takes over what was learnt on the parent's branch: only lines can be out of date.
			const at = steps === 0 ? place : { ...place, branch: undefined, of: undefined };
			for (const note of await known(each, at))
				candidates.push({
					note,
					freshness: note.freshness,
					steps: note.by === 'repository' ? MOST_PARENTS : steps,
					isByUser: note.by === 'user',
				});
		}
		const { context } = await this.store.config();
		return compile({
			project: name,
			task: (tasks.at(-1)?.number ?? 0) + 1,
			prompt,
			candidates,
			plan: (await planOf(project)).text,
			session: since === undefined ? [] : tasks.filter(({ number }) => number >= since).map(sessionLine),
			maxTokens: context.max_tokens,
			touched: tasks.slice(-LATEST_TASKS).flatMap(each => each.touched ?? []),
		});
	}

	/** What the tasks of the present session have come to, for the next one. @param since the first of them */
	async ofSession(name: ProjectName, since: number): Promise<Compiled> {
		const project = this.store.folderOf(name);
		const { tasks } = await project.tasks();
		const isPaused = (await project.record()).status === 'paused';
		const session = isPaused ? [] : tasks.filter(({ number }) => number >= since).map(sessionLine);
		const { context } = await this.store.config();
		const nothing = { prompt: '', candidates: [], plan: '', touched: [] };
		return compile({ project: name, task: 0, session, maxTokens: context.max_tokens, ...nothing });
	}

	/** The project that an agent works on: see {@link chosenProject}. Unreadable projects are left out. */
	async projectAt({ repository, branch }: Checkout, named: string | undefined): Promise<ProjectName | undefined> {
		return chosenProject(await this.projectsIn(repository), branch, named)?.project;
	}

	/** Compiles the projects of a workspace's repository, for the hooks of agents that work there. */
	async compileFor(own: OwnFolder, place: Checkout): Promise<void> {
		const { head, branch: checkedOut } = place;
		await writeCompiled(own, async () => {
			const compiled: CompiledNotes[] = [];
			for (const { project, branch, at, isPaused } of await this.projectsIn(place.repository)) {
				const of = branch === checkedOut ? undefined : branch;
				// One that cannot be read tells nothing, and keeps no other from being told.
				const context = await this.ofTask(project, { ...place, of }, '', undefined).catch(() => undefined);
				if (!context) continue;
				const { text } = context;
				compiled.push({
					version: 1,
					project,
					...(branch !== undefined && { branch }),
					at,
					...(head !== undefined && { head }),
					...(checkedOut !== undefined && { checkedOut }),
					...(isPaused && { isPaused }),
					text,
					hash: hashOfNotes(text),
				});
			}
			return compiled;
		});
	}

	/** Those that are not archived. */
	private async projectsIn(
		repository: string,
	): Promise<{ project: ProjectName; branch: string | undefined; at: string; isPaused: boolean }[]> {
		const found = [];
		for (const project of await this.store.names()) {
			const folder = this.store.folderOf(project);
			const record = await folder.record().catch(() => undefined);
			if (!record || record.status === 'archived' || record.repository !== repository) continue;
			const { tasks } = await folder.tasks();
			const at = tasks.at(-1)?.startedAt ?? record.created;
			found.push({ project, branch: record.branch, at, isPaused: record.status === 'paused' });
		}
		return found;
	}
}

/** A task for the next one. A summary that a note could not be taken from unseen is not told either, nor one that nobody has judged yet. */
function sessionLine({ number, prompt, summary, ok, extraction }: MemoryTask): string {
	const isJudged = extraction.state !== 'answered' && (extraction.summaryHeld ?? []).length === 0;
	const isSafe = isJudged && summary !== undefined && !hasSecret(summary) && !isInstruction(summary, prompt);
	const text = isSafe ? summary : (prompt.split('\n')[0] ?? '');
	return `Task ${number}${ok === false ? ' (failed)' : ''}: ${text.slice(0, 400)}`;
}
