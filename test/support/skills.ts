import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const skillsFolder = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'skills');

/** One skill as it is deployed. */
export interface Skill {
	/** What the user types after the slash. */
	folder: string;
	/** The frontmatter, key by key. */
	fields: Readonly<Record<string, string>>;
	body: string;
}

/**
 * Every skill in `skills/`. Agent CLIs take broken frontmatter for text without a word, so this reads it by the narrowest
 * rule that all YAML readers agree on: `key: value`, one a line, with nothing in the value that YAML could read as syntax.
 */
export function readSkills(): Skill[] {
	return readdirSync(skillsFolder).map(folder => {
		const file = join(skillsFolder, folder, 'SKILL.md');
		const [, head, body] = /^---\n([^]*?)\n---\n\n([^]+)$/.exec(readFileSync(file, 'utf8')) ?? [];
		if (head === undefined || body === undefined) throw new Error(`${file}: no frontmatter`);
		return { folder, fields: Object.fromEntries(head.split('\n').map(line => field(file, line))), body };
	});
}

function field(file: string, line: string): [key: string, value: string] {
	const [, key, value] = /^([a-z-]+): ([A-Za-z0-9<](?:(?!: | #).)*[^\s:])$/.exec(line) ?? [];
	if (key === undefined || value === undefined) throw new Error(`${file}: not plain YAML: ${line}`);
	return [key, value];
}

/** The `nancy …` command lines that a skill tells the agent to run. */
export function commandLinesOf(skill: Skill): string[] {
	const inline = [...skill.body.matchAll(/`(nancy [^`]+)`/g)].map(match => match[1] ?? '');
	const blocks = [...skill.body.matchAll(/^(nancy .+)$/gm)].map(match => match[1] ?? '');
	return [...inline, ...blocks];
}

/** Splits a command line of a skill as a shell would, as far as skills go: words, double quotes, a here-document's end. */
export function wordsOf(line: string): string[] {
	const [command = ''] = line.split(' <<');
	return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(match => match[1] ?? match[2] ?? '');
}
