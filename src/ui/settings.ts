import * as vscode from 'vscode';
import * as z from 'zod/mini';
import { agentSettings, SETTINGS } from './contributions.ts';

/** The user's settings, parsed: a settings file may hold anything. Defaults are package.json's. */

const Text = z.catch(z.string().check(z.trim()), '');
const Notice = z.catch(z.enum(['off', 'badge', 'notification']), 'notification');
export type Notice = z.infer<typeof Notice>;

function read<S extends z.ZodMiniType>(key: string, schema: S, folder?: string): z.infer<S> {
	const scope = folder === undefined ? undefined : vscode.Uri.file(folder);
	return schema.parse(vscode.workspace.getConfiguration(undefined, scope).get(key));
}

export function defaultAgent(): string {
	return read(SETTINGS.defaultAgent, Text);
}

export function model(): string | undefined {
	return read(SETTINGS.model, Text) || undefined;
}

/** Where the user says an agent's program is; `undefined` where they leave it to the PATH. */
export function agentPath(driver: string): string | undefined {
	return read(agentSettings(driver).path, Text) || undefined;
}

export function agentArguments(driver: string): readonly string[] {
	return read(agentSettings(driver).arguments, z.catch(z.array(z.string()), []));
}

export function notice(kind: 'permission' | 'stopped' | 'message', folder: string): Notice {
	const key = {
		permission: SETTINGS.notifyPermission,
		stopped: SETTINGS.notifyStopped,
		message: SETTINGS.notifyMessage,
	}[kind];
	return read(key, Notice, folder);
}

/** In percent of the context window. */
export function tokenThreshold(folder: string): number {
	return read(SETTINGS.tokenThreshold, z.catch(z.number().check(z.minimum(1), z.maximum(100)), 80), folder);
}

export function maximumSessions(): number {
	return read(SETTINGS.trafficSessions, z.catch(z.number().check(z.minimum(1)), 50));
}

/** In bytes. */
export function maximumTrafficFile(folder: string): number {
	return read(SETTINGS.trafficMegabytes, z.catch(z.number().check(z.minimum(1)), 16), folder) * 1024 * 1024;
}
