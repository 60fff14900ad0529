import { lstat } from 'node:fs/promises';
import { isExecutable } from '../../base/searchPath.ts';
import { isAtLeast, parseVersion } from '../../base/version.ts';
import type { Deployment } from '../../protocol/deployment.ts';
import type { Job } from './job.ts';
import { hasRecordedLaunchFiles } from './launchFiles.ts';
import { hasRecordedOwnFiles } from './ownFiles.ts';
import { linesIn, ownEntries } from './ownEntries.ts';
import { launcherIn } from './launcher.ts';
import { holdsExactly } from './settingsText.ts';
import { readText, statusOf, wayTo, wayToFile } from './target.ts';

/** Whether the deployment of another version of Nancy is complete, and that version is not earlier than ours. */
export async function isServedByAnother({ records, driver, request }: Job, record: Deployment): Promise<boolean> {
	const { workspace } = records;
	const { version } = request.runtime;
	const own = parseVersion(version);
	const theirs = parseVersion(record.hookVersion);
	if (record.hookVersion === version || !own || !theirs || !isAtLeast(theirs, own)) return false;
	for (const { file, entries } of record.files) {
		if ((await wayToFile(workspace, file)).is === 'blocked') return false;
		const text = await readText(workspace, file);
		const { isOwn } = await ownEntries(records, driver, file, text);
		if (!holdsExactly(file, text, entries, isOwn)) return false;
		for (const launcher of new Set(linesIn(entries).map(line => launcherIn(line)?.file ?? '')))
			if (!isExecutable(launcher)) return false;
	}
	for (const { folder } of record.skills) {
		const way = await wayTo(workspace, folder);
		if (way.is === 'blocked' || !(await statusOf(lstat, way.path))) return false;
	}
	return (await hasRecordedOwnFiles(workspace, record)) && (await hasRecordedLaunchFiles(records, record));
}
