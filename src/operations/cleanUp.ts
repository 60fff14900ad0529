import * as z from 'zod/mini';
import { withdrawPlugin } from '../core/sessions/pluginChoice.ts';
import { permit } from '../core/asker/permit.ts';
import { cleanUp as takeBack } from '../core/deployment/cleanUp.ts';
import { withdrawImport } from '../core/memory/notesImport.ts';
import { TaskSnapshots } from '../core/worktrees/taskSnapshots.ts';
import { drivers } from '../drivers/index.ts';
import { askGit } from '../git/askGit.ts';
import { TaskName } from '../protocol/names.ts';
import { CleanupOutput } from '../protocol/output/deployment.ts';
import { betweenAnswers } from './shared/betweenAnswers.ts';
import { failureOf } from './shared/failure.ts';
import { forgetSnapshots } from './shared/taskSnapshot.ts';
import type { Operation } from './operation.ts';

const Input = z.object({ task: z.optional(TaskName) });

/** Takes back the deployment: for the whole workspace, or after one task, which is archived. The snapshots of tasks go with it. Throws `busy` while an agent needs it. */
export const cleanUp: Operation<z.infer<typeof Input>, CleanupOutput> = {
	name: 'cleanUp',
	input: Input,
	output: CleanupOutput,
	async permit(asker, { task }) {
		permit(asker, { is: 'change-settings', command: `nancy cleanup${task === undefined ? '' : ` ${task}`}` });
	},
	async run(_, { task }, context) {
		const { workspace, dataFolder } = context;
		// A missing task is reported before anything else.
		if (task !== undefined) await workspace.task(task);
		const { warnings, kept, failed, undeployed, ...done } = await betweenAnswers(context, isBusy =>
			takeBack(workspace, task, drivers, { dataFolder, isBusy, askGit }),
		);
		const warned = [...warnings];
		const changed = [...done.changed];
		if (task === undefined && (await withdrawPlugin(workspace.own)))
			warned.push('Plugins of Nancy serve this folder no more; nancy setup --plugin lets them again.');
		const manual = task === undefined ? await withdrawImport(workspace) : undefined;
		if (manual !== undefined) changed.push(manual);
		const snapshots = task === undefined ? new TaskSnapshots(workspace.own).tasksSync() : [task];
		await forgetSnapshots(workspace, snapshots);
		return {
			folder: workspace.folder,
			...(task !== undefined && { task }),
			undeployed,
			changed,
			warnings: warned,
			kept: [...kept],
			failed: failed.map(({ agent, error }) => ({ agent, ...failureOf(error) })),
		};
	},
};
