import { sha256 } from '../../base/sha256.ts';
import type { HookEntry } from './hooks.ts';

/** The CLI's name for the layer of its configuration that `-c` makes. */
const SESSION_FLAGS =
	process.platform === 'win32' ? 'C:\\<session-flags>\\config.toml' : '/<session-flags>/config.toml';

/**
 * Hooks for one launch, with the trust that the CLI requires: it runs no hook whose hash nobody has approved. Nancy approves, by their
 * hashes, exactly the hooks in the same arguments. Nothing is written, and every other hook keeps its trust.
 */
export function hookFlags(entries: readonly HookEntry[]): string[] {
	const state: Record<string, { trusted_hash: string }> = {};
	const flags: string[] = [];
	for (const event of new Set(entries.map(entry => entry.event))) {
		const group = entries.filter(entry => entry.event === event);
		flags.push('-c', `hooks.${event}=${toml(group.map(entry => ({ hooks: [handlerOf(entry)] })))}`);
		for (const [index, entry] of group.entries()) {
			state[`${SESSION_FLAGS}:${snake(event)}:${index}:0`] = { trusted_hash: trustHash(entry) };
		}
	}
	// The CLI accepts keys with dots only in a table, not in the name of a flag.
	return [...flags, '-c', `hooks.state=${toml(state)}`];
}

export function handlerOf({ command, timeout, isAsync }: HookEntry) {
	return { type: 'command', command, timeout, ...(isAsync && { async: true }) };
}

/**
 * The hash by which the CLI knows a hook: its behaviour as JSON with sorted keys, without its place. The source is
 * hooks/src/engine/discovery.rs and config/src/fingerprint.rs in codex-rs. The test test/agent/codex.agent.test.ts asks the CLI whether
 * that still holds.
 */
export function trustHash({ event, command, timeout, isAsync }: HookEntry): string {
	const handler = { async: isAsync, command, timeout, type: 'command' };
	const identity = JSON.stringify({ event_name: snake(event), hooks: [handler] });
	return `sha256:${sha256(identity)}`;
}

function snake(event: string): string {
	return event.replaceAll(/(?<!^)[A-Z]/g, letter => `_${letter}`).toLowerCase();
}

/** A value as TOML on one line. TOML's basic strings allow everything that JSON's do, except DEL. */
export function toml(value: unknown): string {
	if (Array.isArray(value)) return `[${value.map(toml).join(',')}]`;
	if (typeof value !== 'object' || value === null) return JSON.stringify(value).replaceAll('\u007f', '\\u007f');
	const pairs = Object.entries(value).map(([key, each]) => `${toml(key)}=${toml(each)}`);
	return `{${pairs.join(',')}}`;
}
