import { join } from 'node:path';
import { NancyError } from '../../base/errors.ts';
import { phrase } from '../../base/phrase.ts';
import type { MemoryConfig, ProjectRecord } from '../../protocol/memory.ts';
import { SHARED_NOTES, type NoteId, type ProjectName } from '../../protocol/memoryNames.ts';
import type {
	FolderProjectsOutput,
	NotesOutput,
	ProjectsOutput,
	ProposalOutput,
} from '../../protocol/output/memory.ts';
import { readOrReport, type FileProblem } from '../files/fileProblem.ts';
import { planOf } from './changes.ts';
import { Extractions } from './extractions.ts';
import { notesOutput, projectOutput } from './outputs.ts';
import { ProjectContexts } from './projectContexts.ts';
import { ProjectNotes } from './projectNotes.ts';
import { ProjectTasks } from './projectTasks.ts';
import { proposalOf, waitingOf } from './proposal.ts';
import { targetOf, textOf } from './settling.ts';
import { gatherShared } from './sharedNotes.ts';
import { known, placedNow } from './sources.ts';
import type { Checkout, MemoryPlace, ProjectState } from './state.ts';
import { MemoryStore } from './store.ts';

/** Project memory: what tasks have taught, with its source, for the next ones. */
export class ProjectMemory {
	/** What is learnt from tasks that have ended. */
	readonly extractions: Extractions;
	readonly contexts: ProjectContexts;
	readonly notes: ProjectNotes;
	readonly tasks: ProjectTasks;
	private readonly store: MemoryStore;

	/** @param configFolder the user's: see base/folders */
	constructor(configFolder: string) {
		this.store = new MemoryStore(configFolder);
		this.extractions = new Extractions(this.store);
		this.contexts = new ProjectContexts(this.store);
		this.notes = new ProjectNotes(this.store);
		this.tasks = new ProjectTasks(this.store);
	}

	config(): Promise<MemoryConfig> {
		return this.store.config();
	}

	/** {@link MemoryStore.configOrDefault} */
	configOrDefault(): Promise<MemoryConfig> {
		return this.store.configOrDefault();
	}

	names(): Promise<ProjectName[]> {
		return this.store.names();
	}

	/** @throws NancyError `no-project` */
	async state(name: ProjectName): Promise<ProjectState> {
		const project = this.store.folderOf(name);
		const record = await project.record();
		const { tasks, problems } = await project.tasks();
		const { notes, problems: ofNotes } = await project.readableNotes();
		const { text: plan } = await planOf(project);
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

	/** All projects, or one, for a list. In a list of all, a project that cannot be read is named and does not stop the others. */
	async listed(only: ProjectName | undefined): Promise<ProjectsOutput> {
		const found: ProjectsOutput = { projects: [], problems: [] };
		const add = async (name: ProjectName) => {
			const state = await this.state(name);
			found.projects.push(projectOutput(state));
			found.problems.push(...state.problems);
		};
		if (only !== undefined) await add(only);
		else for (const name of await this.names()) await readOrReport(found.problems, name, () => add(name));
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
			await readOrReport(found.problems, name, async () => {
				const record = await this.store.folderOf(name).record();
				if (record.repository !== place.repository || record.status === 'archived') return;
				found.problems.push(...(await this.gather(record, place)));
				const state = await this.state(name);
				found.projects.push({ ...projectOutput(state), known: await this.shownOf(state, place) });
			});
		}
		return found;
	}

	/** What a waiting update would make of its file. @throws NancyError `no-task` */
	async proposal(name: ProjectName, id: NoteId): Promise<ProposalOutput> {
		const project = this.store.folderOf(name);
		return proposalOf(project, await waitingOf(project, id));
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
		await this.store.folderOf(child).record();
		const above = await this.store.line(this.store.folderOf(parent));
		if (above.some(({ name }) => name === child))
			throw new NancyError(
				'wrong-state',
				phrase`"${parent}" reads the notes of "${child}" already, and no circle is made`,
			);
		return this.changeRecord(child, { parent });
	}

	setStatus(name: ProjectName, status: ProjectRecord['status']): Promise<ProjectRecord> {
		return this.changeRecord(name, { status });
	}

	private async changeRecord(
		name: ProjectName,
		change: Pick<ProjectRecord, 'status'> | Pick<ProjectRecord, 'parent'>,
	): Promise<ProjectRecord> {
		const project = this.store.folderOf(name);
		await project.record();
		return project.locked(async () => {
			const record = { ...(await project.record()), ...change };
			await project.writeRecord(record);
			return record;
		});
	}

	/** What the repository brings to a project that learns. The files are those of the branch that is checked out. */
	private async gather(record: ProjectRecord, { folder, branch, repository }: Checkout): Promise<FileProblem[]> {
		const isMeant = record.status === 'active' && record.branch === branch && record.repository === repository;
		const problems: FileProblem[] = [];
		if (isMeant)
			await readOrReport(problems, join(folder, SHARED_NOTES), async () => {
				problems.push(...(await gatherShared(this.store.folderOf(record.name), folder)));
			});
		return problems;
	}

	private async shownOf(state: ProjectState, place: MemoryPlace): Promise<NotesOutput> {
		const notes = await known(this.store.folderOf(state.record.name), place);
		return notesOutput(state, placedNow(notes, place.folder));
	}
}
