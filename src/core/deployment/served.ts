import { join } from 'node:path';
import { isAtLeast, parseVersion } from '../../base/version.ts';
import type { Deployment } from '../../protocol/records.ts';
import { isExecutable, launcherIn, type Runtime } from './runtime.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { isOursFor } from './job.ts';
import { hasRecordedLaunchFiles } from './launchFiles.ts';
import { hasRecordedOwnFiles } from './ownFiles.ts';
import { exists } from './record.ts';
import { oursAmong } from './settingsText.ts';
import { readText, wayTo } from './target.ts';

/** Whether all that another version of Nancy has deployed is in place, and that version is not an earlier one than ours. */
export async function isServedByAnother(
	workspace: Workspace,
	record: Deployment,
	{ version }: Runtime,
): Promise<boolean> {
	const own = parseVersion(version);
	const theirs = parseVersion(record.hookVersion);
	if (record.hookVersion === version || !own || !theirs || !isAtLeast(theirs, own)) return false;
	const lines: string[] = [];
	for (const { file, entries } of record.files) {
		if ((await wayTo(workspace, file)).is === 'blocked') return false;
		const present = oursAmong(file, await readText(workspace, file), isOursFor(record.driver));
		// Which they are, only that version knows. An older one did not note how many: at least one for each event.
		if (present.length < (entries ?? record.events.length)) return false;
		lines.push(...present);
	}
	const launchers = lines.map(launcherIn);
	if (launchers.some(launcher => launcher?.version !== record.hookVersion)) return false;
	for (const file of new Set(launchers.map(launcher => launcher?.file ?? '')))
		if (!(await isExecutable(file))) return false;
	for (const { folder } of record.skills) if (!(await exists(join(workspace.folder, folder)))) return false;
	return (await hasRecordedOwnFiles(workspace, record)) && (await hasRecordedLaunchFiles(workspace, record));
}
