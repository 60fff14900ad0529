import { join, sep } from 'node:path';
import { folderNames } from '../../base/listing.ts';
import type { Driver } from '../driver/driver.ts';
import { withoutLayout } from '../files/looseJson.ts';
import { readPlainFile } from '../files/plainFile.ts';
import { isCompleted, withoutCompletions } from './completions.ts';
import type { Owner } from './settingsFiles.ts';

/**
 * What a file of settings says without Nancy's own entries and without what the CLI adds. These parts may be there or not. `undefined` if
 * the file says nothing else.
 */
export async function contentOf(owner: Owner, file: string, driver: Driver, name: string): Promise<Buffer | undefined> {
	const content = await readPlainFile(file);
	if (content === undefined || (await isOwnSkill(owner, name, content))) return undefined;
	const namesNancy = content.includes(runtimesOf(owner));
	if (!isCompleted(driver.completions, name) && !namesNancy) return content;
	const text = content.toString('utf8');
	const others = namesNancy ? await withoutOwn(owner, text, driver, name) : text;
	const rest = await withoutCompletions(others, driver.completions, name);
	return /^\s*(?:\{\s*\}\s*)?$/.test(rest) ? undefined : Buffer.from(rest);
}

/** Another version of Nancy is no other setting, and neither is another layout, which Nancy's entries leave behind. */
export function comparable(owner: Owner, name: string, content: Buffer): string {
	const runtimes = runtimesOf(owner);
	const text = content.includes(runtimes)
		? withoutVersion(content.toString('utf8'), runtimes)
		: content.toString('latin1');
	return /\.jsonc?$/.test(name) ? withoutLayout(text) : text;
}

/** Only Nancy's own folder counts, where no agent writes. */
function runtimesOf({ dataFolder }: Owner): string {
	return join(dataFolder, 'runtime') + sep;
}

/** Nancy's own entries are known by a sealed record, or as word for word the driver's. One that says anything more counts. */
async function withoutOwn(
	{ workspaceFolder, dataFolder }: Owner,
	text: string,
	driver: Driver,
	file: string,
): Promise<string> {
	const [{ DeploymentRecords }, { ownEntries }, { withoutWhole }, { Workspace }] = await Promise.all([
		import('../deployment/records.ts'),
		import('../deployment/ownEntries.ts'),
		import('../deployment/settingsText.ts'),
		import('../workspace/workspace.ts'),
	]);
	try {
		const records = new DeploymentRecords(new Workspace(workspaceFolder), dataFolder);
		const { isNancys, isWhole } = await ownEntries(records, driver, file, text);
		return withoutWhole(file, text, isNancys, isWhole);
	} catch {
		return text; // no JSON: all of it counts
	}
}

function withoutVersion(text: string, runtimes: string): string {
	return text
		.split(runtimes)
		.map((part, index) => (index === 0 ? part : part.replace(/^\d[\w.-]*/, '')))
		.join(runtimes);
}

/** Copied from one of Nancy's runtimes. */
async function isOwnSkill(owner: Owner, name: string, content: Buffer): Promise<boolean> {
	const [, skill] = /\/skills\/([^/]+)\/SKILL\.md$/.exec(name) ?? [];
	if (skill === undefined) return false;
	const runtimes = runtimesOf(owner);
	for (const version of await folderNames(runtimes)) {
		const own = await readPlainFile(join(runtimes, version, 'skills', skill, 'SKILL.md'));
		if (own?.equals(content)) return true;
	}
	return false;
}
