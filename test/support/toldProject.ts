import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ProjectMemory } from '../../src/core/memory/memory.ts';
import type { Workspace } from '../../src/core/workspace/workspace.ts';
import { ProjectName } from '../../src/protocol/memoryNames.ts';

/** Projects with notes that a person has written, in a config folder of their own, compiled for a workspace. */
export class ToldProject {
	readonly memory: ProjectMemory;

	/** @param config the user's config folder */
	constructor(
		private readonly workspace: Workspace,
		private readonly config: string,
	) {
		this.memory = new ProjectMemory(config);
	}

	/**
	 * Writes the notes of a project and compiles all.
	 * @param branch that the project is about, and that is checked out then; none outside of git
	 */
	async note(notes: readonly string[], name = 'my-feature', branch?: string): Promise<void> {
		const project = ProjectName.parse(name);
		const place = this.place(branch);
		await this.memory.open(project, place.repository, branch);
		const file = join(this.config, 'projects', project, 'notes', 'failures.md');
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, notes.map(text => `- ${text}\n`).join(''));
		await this.memory.contexts.compileFor(this.workspace.own, place);
	}

	/** Changes a project's status, and compiles all. Outside of git. */
	async set(name: string, status: Parameters<ProjectMemory['setStatus']>[1]): Promise<void> {
		await this.memory.setStatus(ProjectName.parse(name), status);
		await this.memory.contexts.compileFor(this.workspace.own, this.place(undefined));
	}

	private place(branch: string | undefined) {
		const { folder } = this.workspace;
		const head = branch === undefined ? undefined : join(folder, '.git', 'HEAD');
		return { folder, repository: folder, branch, commit: undefined, head };
	}
}
