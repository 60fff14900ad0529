import { basename } from 'node:path';
import { errorText } from '../../base/errors.ts';
import { identify } from '../../base/liveness.ts';
import { LogWriter } from '../../core/delegates/logWriter.ts';
import { progress } from '../../core/delegates/progress.ts';
import { StatusWriter } from '../../core/delegates/statusWriter.ts';
import { beginSwarmRun, swarmFiles } from '../../core/delegates/swarm.ts';
import type { HeadlessEvent } from '../../core/driver/headless.ts';
import { DelegateStatus } from '../../protocol/delegate.ts';
import type { SwarmWorker } from './beginAlone.ts';
import type { OperationContext } from '../operation.ts';

/** What a run has done so far, and its files beside the answer. */
export interface RunRecord {
	note: (event: HeadlessEvent) => void;
	say: (text: string) => void;
	/** @param reason why it has failed */
	end: (output: string, reason: string | undefined) => Promise<DelegateStatus>;
}

/** Begins the record of a run. It has no files, or those of a swarm's worker. */
export async function beginRecord(
	worker: SwarmWorker | undefined,
	prompt: string,
	context: OperationContext,
): Promise<RunRecord> {
	const files = worker && swarmFiles(worker.folder, worker.feature);
	const status = DelegateStatus.parse({
		task_id: files ? basename(files.base) : 'run',
		status: 'running',
		started_at: new Date().toISOString(),
		iteration: 1,
		runner: identify(process.pid),
	});
	const writer = new StatusWriter(status, async now => {
		await files?.writeStatus(now);
	});
	if (files) {
		const { beginAlone } = await import('./beginAlone.ts');
		await beginAlone(worker, context, () => beginSwarmRun(files, prompt, status));
	}
	// The log is only for people. A disk that refuses it does not end the run.
	const log = files && new LogWriter(text => files.appendLog(text));
	return {
		note: event => writer.change(progress(status, event, {})),
		say: text => log?.say(text),
		end: async (output, reason) => {
			const { runner: _gone, ...kept } = status;
			const ended = { ...kept, status: reason === undefined ? 'done' : 'failed' } as const;
			await Promise.all([writer.close(), log?.settle()]);
			try {
				await files?.writeOutput(output);
				await files?.writeStatus({ ...ended, ended_at: new Date().toISOString() });
				await files?.writeDone(reason?.split('\n')[0]);
			} catch (error) {
				// The answer counts more than its copy.
				context.note(`the swarm does not get to know that it has ended: ${errorText(error)}`);
			}
			return { ...ended, reported: true };
		},
	};
}
