import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TaskSources } from '../../src/core/memory/digest.ts';
import { ProjectMemory } from '../../src/core/memory/memory.ts';
import { claudeCode } from '../../src/drivers/claude-code/driver.ts';
import type { ExtractionAnswer, MemoryTask, ProposedUpdate } from '../../src/protocol/memory.ts';
import { ProjectName } from '../../src/protocol/memoryNames.ts';
import { SessionId } from '../../src/protocol/names.ts';
import type { TrafficRecord } from '../../src/protocol/traffic.ts';
import { sources } from './taskTraffic.ts';
import type { TempFolder } from './tempFolder.ts';

/** A proposed note whose quote is in the usual task: see taskTraffic. */
export const update = (more: Partial<ProposedUpdate>): ProposedUpdate => ({
	op: 'add',
	category: 'failures',
	id: null,
	text: 'npm test fails unless DB_URL is set.',
	reason: null,
	evidence: [{ ref: 'e1', quote: 'the pool needs DB_URL to be set' }],
	...more,
});

/** A project that learns from tasks whose records and answers a test gives. Its folder has a source and a README. */
export class LearningProject {
	readonly name = ProjectName.parse('my-feature');
	readonly memory: ProjectMemory;

	/** @param config the user's config folder */
	constructor(
		private readonly folder: Pick<TempFolder, 'file'>,
		private readonly config = folder.file('config'),
	) {
		mkdirSync(folder.file('repo', 'src'), { recursive: true });
		writeFileSync(folder.file('repo', 'src', 'pool.ts'), 'import a;\nconst pool = open(4);\nexport { pool };\n');
		writeFileSync(folder.file('repo', 'README.md'), 'The tests run with npm test in each package.\n');
		this.memory = new ProjectMemory(config);
	}

	get place() {
		const branch = { branch: 'main', commit: 'c'.repeat(40) };
		return { folder: this.folder.file('repo'), repository: '/repo/.git', ...branch };
	}

	file(...path: string[]): string {
		return join(this.config, 'projects', this.name, ...path);
	}

	/** '' for no such file. */
	read(...path: string[]): string {
		return existsSync(this.file(...path)) ? readFileSync(this.file(...path), 'utf8') : '';
	}

	/** Every file of the project with its text. */
	everything(): Record<string, string> {
		const found = readdirSync(this.file(), { recursive: true, withFileTypes: true }).filter(each => each.isFile());
		return Object.fromEntries(
			found.map(each => [each.name, readFileSync(join(each.parentPath, each.name), 'utf8')]),
		);
	}

	open() {
		return this.memory.open(this.name, this.place.repository, this.place.branch);
	}

	/** Runs a task whose records are these, up to what an extraction would read. */
	async task(
		records: readonly TrafficRecord[],
		delivered: readonly string[] = [],
		told: MemoryTask['told'] = [],
		ended: Partial<Pick<MemoryTask, 'prompt' | 'reason' | 'output'>> = {},
		more: Partial<TaskSources> = {},
	): Promise<MemoryTask> {
		const { prompt = 'Do it', reason, output = 'Done' } = ended;
		const { number } = await this.memory.tasks.begin(
			this.name,
			{ prompt, agent: claudeCode.id, folder: this.place.folder, told },
			this.place,
		);
		return this.memory.tasks.end(
			this.name,
			number,
			{ session: SessionId.parse('s1'), after: 'd'.repeat(40), ending: 'result', ok: true, reason, output },
			{ ...sources(records), delivered, ...more },
		);
	}

	/** Extracts the oldest task that is due, with this answer. */
	async extract(updates: readonly ProposedUpdate[], more: Partial<ExtractionAnswer> = {}) {
		const claimed = await this.memory.extractions.claim(this.name, undefined, false);
		if (!claimed) throw new Error('nothing is due');
		const { number } = claimed.task;
		await this.memory.extractions.answer(this.name, number, {
			text: JSON.stringify({ summary: 'Made it faster.', plan: null, updates, ...more }),
		});
		return { claimed, number, report: await this.memory.extractions.merge(this.name, number) };
	}
}
