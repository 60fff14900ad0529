import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configFolder, dataFolder } from '../../base/folders.ts';
import { errorText } from '../../base/errors.ts';
import { entriesOf } from '../../base/listing.ts';
import { readJsonFile } from '../../core/files/jsonFile.ts';
import { allRecords, PlaceNote, recordsOf } from '../../core/files/recordPlaces.ts';
import { writeImported } from '../../core/memory/notesImport.ts';
import { COMPILED } from '../../core/memory/toldMarks.ts';
import { Workspace } from '../../core/workspace/workspace.ts';
import { manuals } from '../../drivers/manuals.ts';
import type { MachineContext, OperationContext } from '../operation.ts';
import { memoryPlace, openMemory } from './memory.ts';

/** Whether the user has made any project. Nothing more is loaded before. */
export function hasProjects(env: MachineContext['env']): boolean {
	return existsSync(join(configFolder(env), 'projects'));
}

/** Compiles what agents in this workspace are told by their hooks. An agent starts all the same if that fails. */
export async function compileNotes({
	env,
	workspace,
	note,
}: Pick<OperationContext, 'env' | 'workspace' | 'note'>): Promise<void> {
	if (!hasProjects(env)) return;
	try {
		await compileIn(workspace, env);
	} catch (error) {
		note(`agents are told no new notes of the project: ${errorText(error)}`);
	}
}

/**
 * What an agent in this workspace is told that no hook tells it, to go before its prompt. Empty if no project is there. An agent starts all the
 * same if that fails.
 */
export async function notesBeforePrompt(
	{ env, workspace, note }: Pick<OperationContext, 'env' | 'workspace' | 'note'>,
	prompt: string,
): Promise<string> {
	if (!hasProjects(env)) return '';
	try {
		const memory = await openMemory(env);
		const place = await memoryPlace(workspace.folder);
		const project = await memory.contexts.projectAt(place, env['NANCY_PROJECT']);
		const { text } = project ? await memory.contexts.ofTask(project, place, prompt, undefined) : { text: '' };
		return text === '' ? '' : `${text}\n`;
	} catch (error) {
		note(`the agent is told no notes of the project: ${errorText(error)}`);
		return '';
	}
}

/** {@link compileNotes} in every workspace where notes were told before: another project may read the notes that have changed. */
export async function compileEverywhere(env: MachineContext['env']): Promise<void> {
	const data = dataFolder(env);
	for (const { name } of await entriesOf(allRecords(data))) {
		const place = name.endsWith('.json')
			? await readJsonFile(join(allRecords(data), name), PlaceNote).catch(() => undefined)
			: undefined;
		if (!place || !existsSync(place.folder) || !existsSync(join(recordsOf(data, place.folder), COMPILED))) continue;
		// What fails here is done again when an agent starts there.
		await compileIn(new Workspace(place.folder, data), env).catch(() => undefined);
	}
}

async function compileIn(workspace: Workspace, env: MachineContext['env']): Promise<void> {
	await (await openMemory(env)).contexts.compileFor(workspace.own, await memoryPlace(workspace.folder));
	await writeImported(workspace, manuals);
}
