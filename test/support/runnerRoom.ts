import { readFileSync } from 'node:fs';
import { IN_TERMINAL } from '../../src/core/asker/asker.ts';
import type { ProcessIdentity } from '../../src/base/liveness.ts';
import { isFinal, type Delegate } from '../../src/core/delegates/delegate.ts';
import { Delegates } from '../../src/core/delegates/delegates.ts';
import { queueDelegate, type FullRequest } from '../../src/core/delegates/queueDelegate.ts';
import { Tickets } from '../../src/core/delegates/tickets.ts';
import { Workspace } from '../../src/core/workspace/workspace.ts';
import { lookAtQueue, stopDelegate } from '../../src/delegates/delegateQueue.ts';
import { createWorktree } from '../../src/git/worktree.ts';
import { ORCHESTRATOR } from '../../src/protocol/names.ts';
import { WorktreeName } from '../../src/protocol/worktree.ts';
import { eventually } from './eventually.ts';
import { fakeDriver } from './fakeDriver.ts';
import { fakeNancy } from './fakeNancy.ts';
import type { GitRepository } from './gitRepository.ts';
import { tempFolder } from './tempFolder.ts';

/** A project of a test's own, whose delegates are run by runners of their own: most of such a test is waiting, so several run at once. */
export class RunnerRoom implements AsyncDisposable {
	readonly folder = tempFolder();
	readonly delegates = new Delegates(new Workspace(this.folder.file('project')));
	readonly tickets = new Tickets(this.folder.file('data'), this.folder.file('project'));
	readonly nancy = fakeNancy(this.folder);

	readonly look = (cap = 4, env: Record<string, string> = {}): Promise<void> => {
		const { tickets, nancy } = this;
		return lookAtQueue(this.delegates, { tickets, nancy, cap, env: { NANCY_DELEGATES: String(cap), ...env } });
	};

	readonly delegate = (prompt: string, more: Partial<FullRequest> = {}): Promise<Delegate> =>
		queueDelegate(this.delegates, this.tickets, IN_TERMINAL, {
			prompt,
			agent: fakeDriver.id,
			permissions: 'default',
			folder: this.delegates.workspace.folder,
			...more,
		});

	readonly ended = ({ record }: Delegate): Promise<Delegate> =>
		eventually(`the end of ${record.id}`, async () => {
			const now = await this.delegates.get(record.id);
			return isFinal(now.state) && now.status.reported && now;
		});

	/** One whose agent is at work for a minute. */
	readonly atWork = async (): Promise<Delegate> => {
		const { record } = await this.delegate('wait:60000');
		await this.look();
		return eventually('its agent', async () => {
			const now = await this.delegates.get(record.id);
			return now.status.agent_process && now;
		});
	};

	readonly run = async (
		prompt: string,
		more?: Partial<FullRequest>,
		env?: Record<string, string>,
	): Promise<Delegate> => {
		const queued = await this.delegate(prompt, more);
		await this.look(4, env);
		return this.ended(queued);
	};

	readonly outputOf = ({ record }: Delegate): string => readFileSync(this.delegates.files(record.id).output, 'utf8');
	readonly logOf = ({ record }: Delegate): string => readFileSync(this.delegates.files(record.id).log, 'utf8');

	readonly results = async (): Promise<string[]> => {
		const { workspace } = this.delegates;
		const { tasks } = await workspace.tasks();
		const lists = await Promise.all(
			tasks.map(({ name }) => workspace.mailbox({ task: name, worker: ORCHESTRATOR }).list()),
		);
		return lists.flatMap(({ messages }) => messages.map(({ content }) => content.text));
	};

	/** As the queue leaves it once it has started this runner. */
	readonly startedBy = async ({ record, status }: Delegate, runner: ProcessIdentity): Promise<void> => {
		await this.tickets.begin(record.id, runner);
		await this.delegates.writeStatus(record.id, { ...status, status: 'running', runner });
	};

	/** One whose runner made its worktree and was killed before it could say so. */
	readonly ofKilledRunner = async (repository: GitRepository) => {
		repository.commit({ 'a.txt': 'a' });
		const queued = await this.delegate('x', { folder: repository.root, worktree: { withChanges: false } });
		const { id } = queued.record;
		await this.startedBy(queued, { pid: 999_999_999, startedTicks: 1 });
		const name = WorktreeName.parse(id);
		const made = await createWorktree({ folder: repository.root, name, withChanges: false, copyIncludes: false });
		return { id, made };
	};

	/** Stops what still runs. */
	async [Symbol.asyncDispose](): Promise<void> {
		const { delegates } = await this.delegates.list();
		for (const { record } of delegates) await stopDelegate(this.delegates, this.tickets, record.id);
		await this.folder.remove();
	}
}
