import { join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { CompiledNotes } from '../../protocol/compiledNotes.ts';
import type { MemoryConfig, MemoryTask, ProjectRecord } from '../../protocol/memory.ts';
import { SHARED_NOTES, type NoNotes, type NoteId, type ProjectName } from '../../protocol/memoryNames.ts';
import type {
	FolderProjectsOutput,
	NotesOutput,
	ProjectsOutput,
	ProposalOutput,
} from '../../protocol/output/memory.ts';
import { fileProblem, type FileProblem } from '../files/fileProblem.ts';
import type { OwnFolder } from '../files/ownFolder.ts';
import { redactText } from '../traffic/redact.ts';
import { applyChanges, planOf } from './changes.ts';
import { chosenProject } from './chosenProject.ts';
import { compile, type Candidate, type Compiled } from './compile.ts';
import { hashOfNotes, writeCompiled } from './compiledFiles.ts';
import { digestOf, typedIn, type TaskSources } from './digest.ts';
import { Extractions } from './extractions.ts';
import { whyNot } from './extractionState.ts';
import { lineOf, notesIn, type NoteFile, type StoredNote } from './noteFile.ts';
import { notesOutput, projectOutput } from './outputs.ts';
import { inOwnWords, ownNote, type OwnWords } from './ownNote.ts';
import { proposalOf, waitingOf } from './proposal.ts';
import { hasSecret, isInstruction } from './risks.ts';
import { settle, targetOf, textOf } from './settling.ts';
import { gatherShared, writeShared } from './sharedNotes.ts';
import { known, placedNow } from './sources.ts';
import type { Checkout, MemoryPlace, ProjectState } from './state.ts';
import { MemoryStore, type ProjectFolder } from './store.ts';

const MOST_PARENTS = 8;
/** The next task is most likely about the files of these. */
const LATEST_TASKS = 3;
/** Of a task, that are kept. */
const MOST_TOUCHED = 100;

/** Project memory: what tasks have taught, with its source, for the next ones. */
export class ProjectMemory {
	/** What is learnt from tasks that have ended. */
	readonly extractions: Extractions;
	private readonly store: MemoryStore;

	/** @param configFolder the user's: see base/folders */
	constructor(configFolder: string) {
		this.store = new MemoryStore(configFolder);
		this.extractions = new Extractions(this.store);
	}

	config(): Promise<MemoryConfig> {
		return this.store.config();
	}

	names(): Promise<ProjectName[]> {
		return this.store.names();
	}

	/** @throws NancyError `no-project` */
	async state(name: ProjectName): Promise<ProjectState> {
		const project = this.store.folderOf(name);
		const record = await project.record();
		const { tasks, problems } = await project.tasks();
		const { files, problems: ofNotes } = await project.readableNotes();
		const { text: plan } = await planOf(project);
		const notes = files.flatMap(notesIn);
		const waiting = await project.pending();
		const pending = waiting.pending.map(each => ({
			...each,
			text: textOf(each),
			target: targetOf(each.change, notes),
		}));
		return {
			record,
			tasks,
			notes,
			plan,
			pending,
			folder: project.folder,
			digests: await project.digests(),
			problems: [...problems, ...ofNotes, ...waiting.problems],
		};
	}

	/** All projects, or one, for a list. Of all, one that cannot be read is named and does not stop the others. */
	async listed(only: ProjectName | undefined): Promise<ProjectsOutput> {
		const found: ProjectsOutput = { projects: [], problems: [] };
		for (const name of only === undefined ? await this.names() : [only]) {
			try {
				const state = await this.state(name);
				found.projects.push(projectOutput(state));
				found.problems.push(...state.problems);
			} catch (error) {
				if (only !== undefined) throw error;
				found.problems.push(fileProblem(name, error));
			}
		}
		return found;
	}

	/** What is known of a project, and how the lines of its notes stand in a folder. */
	async shown(name: ProjectName, place: Checkout): Promise<NotesOutput> {
		const problems = await this.gather(await this.store.folderOf(name).record(), place);
		const shown = await this.shownOf(await this.state(name), place);
		return { ...shown, problems: [...shown.problems, ...problems] };
	}

	/** The projects of a repository, but for archived ones, as {@link listed} and {@link shown} have each. */
	async ofFolder(place: Checkout): Promise<FolderProjectsOutput> {
		const found: FolderProjectsOutput = { projects: [], problems: [] };
		for (const name of await this.names()) {
			try {
				const record = await this.store.folderOf(name).record();
				if (record.repository !== place.repository || record.status === 'archived') continue;
				found.problems.push(...(await this.gather(record, place)));
				const state = await this.state(name);
				found.projects.push({ ...projectOutput(state), known: await this.shownOf(state, place) });
			} catch (error) {
				found.problems.push(fileProblem(name, error));
			}
		}
		return found;
	}

	/** What a waiting update would make of its file. @throws NancyError `no-task` */
	async proposal(name: ProjectName, id: NoteId): Promise<ProposalOutput> {
		const project = this.store.folderOf(name);
		return proposalOf(project, await waitingOf(project, id));
	}

	/** Adds a note of a person's own. */
	async add(name: ProjectName, words: OwnWords, place: MemoryPlace): Promise<NoteId> {
		const project = this.store.folderOf(name);
		await project.record();
		const note = ownNote(words, place);
		await project.locked(() => applyChanges(project, [{ op: 'put', category: note.category, line: lineOf(note) }]));
		return note.id;
	}

	/**
	 * Opens a project, and makes it if it is new.
	 * @throws NancyError `wrong-state` for one of another repository, or an archived one
	 */
	async open(name: ProjectName, repository: string, branch: string | undefined): Promise<ProjectRecord> {
		const project = this.store.folderOf(name);
		const created = new Date().toISOString();
		await project.create({ name, created, status: 'active', repository, ...(branch !== undefined && { branch }) });
		const record = await project.record();
		if (record.status === 'archived')
			throw new NancyError(
				'wrong-state',
				phrase`project "${name}" is archived; nancy projects ${name} --restore brings it back`,
			);
		if (record.repository !== repository)
			throw new NancyError(
				'wrong-state',
				phrase`project "${name}" is of ${record.repository}, not of ${repository}; choose another name`,
			);
		return record;
	}

	/** What the next task of a project is told. @param since the first task of the present session; nothing of it is told without */
	async context(name: ProjectName, place: MemoryPlace, prompt: string, since: number | undefined): Promise<Compiled> {
		const project = this.store.folderOf(name);
		const { tasks } = await project.tasks();
		const isPaused = (await project.record()).status === 'paused';
		if (isPaused) return { text: '', told: [], tokens: 0 };
		const candidates: Candidate[] = [];
		for (const [steps, each] of (await this.line(project)).entries()) {
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
		const { context } = await this.config();
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
	async sessionSoFar(name: ProjectName, since: number): Promise<Compiled> {
		const project = this.store.folderOf(name);
		const { tasks } = await project.tasks();
		const isPaused = (await project.record()).status === 'paused';
		const session = isPaused ? [] : tasks.filter(({ number }) => number >= since).map(sessionLine);
		const { context } = await this.config();
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
				const context = await this.context(project, { ...place, of }, '', undefined).catch(() => undefined);
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

	/** Saves that a task begins. */
	async begin(
		name: ProjectName,
		task: Pick<MemoryTask, 'prompt' | 'agent' | 'folder' | 'told'>,
		place: MemoryPlace,
	): Promise<MemoryTask> {
		const project = this.store.folderOf(name);
		await project.record();
		return project.locked(() =>
			project.addTask({
				...task,
				prompt: redactText(task.prompt),
				output: '',
				startedAt: new Date().toISOString(),
				...(place.branch !== undefined && { branch: place.branch }),
				...(place.commit !== undefined && { before: place.commit }),
				extraction: { state: 'none', tries: 0 },
			}),
		);
	}

	/**
	 * Saves how it ended, and what an extraction will read.
	 * @param whyNoNotes why nobody can be asked for notes of it
	 */
	async end(
		name: ProjectName,
		number: number,
		ended: Pick<MemoryTask, 'session' | 'after' | 'ending' | 'ok' | 'reason' | 'output'>,
		sources: TaskSources,
		whyNoNotes?: NoNotes,
	): Promise<MemoryTask> {
		const project = this.store.folderOf(name);
		const { extraction } = await this.config();
		const { status } = await project.record();
		const { records } = sources;
		const digest = digestOf(sources, extraction.transcript_tokens);
		return project.locked(async () => {
			if (records.length > 0) await project.writeDigest(number, digest.text);
			const cause =
				whyNot({
					isUnrecorded: records.length === 0,
					isPoor: digest.isPoor,
					isEnabled: extraction.enabled,
					isPaused: status === 'paused',
				}) ?? whyNoNotes;
			const begun = await project.task(number);
			const task: MemoryTask = {
				...begun,
				...ended,
				// In a terminal, the first prompt may have been typed there.
				prompt: begun.prompt || redactText(typedIn(digest.text).split('\n')[0] ?? ''),
				output: redactText(ended.output),
				touched: sources.changes.slice(0, MOST_TOUCHED).map(({ path }) => redactText(path)),
				...(ended.reason !== undefined && { reason: redactText(ended.reason) }),
				endedAt: new Date().toISOString(),
				extraction: cause === undefined ? { state: 'due', tries: 0 } : { state: 'skipped', tries: 0, cause },
			};
			await project.writeTask(task);
			return task;
		});
	}

	/**
	 * Accepts or rejects what waits, retires or pins a note.
	 * @param words to be accepted instead, which are the person's own then
	 */
	async review(
		action: 'accept' | 'reject' | 'retire' | 'pin',
		name: ProjectName,
		id: NoteId,
		words?: string,
	): Promise<string> {
		const project = this.store.folderOf(name);
		await project.record();
		return project.locked(async () => {
			const { files } = await project.readableNotes();
			if (action === 'accept' || action === 'reject') {
				const waiting = await waitingOf(project, id);
				const settled = words === undefined ? waiting : inOwnWords(waiting, words);
				return settle(project, settled, action, files.flatMap(notesIn));
			}
			const note = noteOf(files, id);
			const change =
				action === 'retire'
					? { op: 'retire' as const, id, reason: 'by the user' }
					: {
							op: 'put' as const,
							category: note.category,
							line: lineOf({ ...note, isPinned: !note.isPinned }, note.unknown),
						};
			await applyChanges(project, [change]);
			return note.text;
		});
	}

	/**
	 * Writes a note into a file of the folder, for its repository.
	 * @throws NancyError `no-task`, `wrong-state` in another repository, and see {@link writeShared}
	 */
	async share(
		name: ProjectName,
		id: NoteId,
		{ folder, repository }: Pick<Checkout, 'folder' | 'repository'>,
	): Promise<{ text: string; file: string }> {
		const project = this.store.folderOf(name);
		const record = await project.record();
		if (record.repository !== repository)
			throw new NancyError(
				'wrong-state',
				phrase`project "${name}" is of ${record.repository}, and its notes are not shared in ${repository}`,
			);
		const { files } = await project.readableNotes();
		const note = noteOf(files, id);
		return { text: note.text, file: await writeShared(folder, note) };
	}

	/** The projects in which something of this id waits, or is a note. Unreadable projects are left out. */
	async having(id: NoteId): Promise<ProjectName[]> {
		const found: ProjectName[] = [];
		for (const name of await this.names()) {
			const state = await this.state(name).catch(() => undefined);
			if (state && [...state.notes, ...state.pending].some(each => each.id === id)) found.push(name);
		}
		return found;
	}

	/** Lets a project read the notes of another one. @throws NancyError `wrong-state` if that one reads, in the end, this one's */
	async link(child: ProjectName, parent: ProjectName): Promise<ProjectRecord> {
		const project = this.store.folderOf(child);
		await project.record();
		const above = await this.line(this.store.folderOf(parent));
		if (above.some(({ name }) => name === child))
			throw new NancyError(
				'wrong-state',
				phrase`"${parent}" reads the notes of "${child}" already, and no circle is made`,
			);
		return project.locked(async () => {
			const record = { ...(await project.record()), parent };
			await project.writeRecord(record);
			return record;
		});
	}

	async setStatus(name: ProjectName, status: ProjectRecord['status']): Promise<ProjectRecord> {
		const project = this.store.folderOf(name);
		await project.record();
		return project.locked(async () => {
			const record = { ...(await project.record()), status };
			await project.writeRecord(record);
			return record;
		});
	}

	/** The project, its parent, and so on, up to one that cannot be read. */
	private async line(project: ProjectFolder): Promise<ProjectFolder[]> {
		const found: ProjectFolder[] = [];
		for (let at: ProjectFolder | undefined = project; at && found.length < MOST_PARENTS;) {
			const { name } = at;
			if (found.some(each => each.name === name)) break;
			const record: ProjectRecord | undefined =
				at === project ? await at.record() : await at.record().catch(() => undefined);
			if (!record) break;
			const parent: ProjectName | undefined = record.parent;
			found.push(at);
			at = parent === undefined ? undefined : this.store.folderOf(parent);
		}
		return found;
	}

	/** What the repository brings to a project that learns. The files are those of the branch that is checked out. */
	private async gather(record: ProjectRecord, { folder, branch, repository }: Checkout): Promise<FileProblem[]> {
		const isMeant = record.status === 'active' && record.branch === branch && record.repository === repository;
		if (!isMeant) return [];
		try {
			return await gatherShared(this.store.folderOf(record.name), folder);
		} catch (error) {
			return [fileProblem(join(folder, SHARED_NOTES), error)];
		}
	}

	private async shownOf(state: ProjectState, place: MemoryPlace): Promise<NotesOutput> {
		const notes = await known(this.store.folderOf(state.record.name), place);
		return notesOutput(state, placedNow(notes, place.folder));
	}

	/** Those that are not archived. */
	private async projectsIn(
		repository: string,
	): Promise<{ project: ProjectName; branch: string | undefined; at: string; isPaused: boolean }[]> {
		const found = [];
		for (const project of await this.names()) {
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

function noteOf(files: readonly NoteFile[], id: NoteId): StoredNote {
	const note = files.flatMap(notesIn).find(each => each.id === id);
	if (note) return note;
	throw new NancyError('no-task', phrase`there is no note ${id}; nancy notes <project> lists all`);
}

/** A task for the next one. A summary that a note could not be taken from unseen is not told either, nor one that nobody has judged yet. */
function sessionLine({ number, prompt, summary, ok, extraction }: MemoryTask): string {
	const isJudged = extraction.state !== 'answered' && (extraction.summaryHeld ?? []).length === 0;
	const isSafe = isJudged && summary !== undefined && !hasSecret(summary) && !isInstruction(summary, prompt);
	const text = isSafe ? summary : (prompt.split('\n')[0] ?? '');
	return `Task ${number}${ok === false ? ' (failed)' : ''}: ${text.slice(0, 400)}`;
}
