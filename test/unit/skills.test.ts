import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { parseCommandArguments, splitCommandLine } from '../../src/cli/arguments.ts';
import { loadAll } from '../../src/cli/command.ts';
import { commands as loaders } from '../../src/cli/commands.ts';
import { commandLinesOf, readSkills, wordsOf } from '../support/skills.ts';

const commands = await loadAll(loaders);

const skills = readSkills();

describe('the skills', () => {
	it('are the eight that Nancy promises', () => {
		expect(skills.map(({ folder }) => folder).sort()).toEqual([
			'check-directives',
			'check-tokens',
			'create-spec',
			'delegate',
			'orchestrator',
			'send-message',
			'session-history',
			'update-spec',
		]);
	});

	it.each(skills)(
		'$folder has its folder as name, the version of Nancy, and grants no permission',
		({ folder, fields }) => {
			expect(fields).toMatchObject({ name: folder, version: manifest.version });
			expect(
				Object.keys(fields).filter(key => !['name', 'description', 'version', 'argument-hint'].includes(key)),
			).toEqual([]);
		},
	);

	it.each(skills)('$folder says in at most 300 characters what it does and when to use it', ({ fields }) => {
		// The CLI shows the model &lt; and &gt; instead.
		expect(fields['description']).toMatch(/^[^<>]{40,220}\. Use it .{20,}\.$/);
		expect(fields['description']?.length).toBeLessThanOrEqual(300);
	});

	it.each(skills)('$folder costs the agent less than 2,500 characters, all of them printable', ({ body }) => {
		expect(body.length).toBeLessThan(2500);
		expect(body).toMatch(/^[\n\x20-\x7e]+$/);
	});

	// A session outside Nancy's terminals has no command, and a skill without an answer to that makes the agent search for one.
	it.each(skills.filter(skill => commandLinesOf(skill).length > 0 && skill.folder !== 'update-spec'))(
		'$folder says first what to do where there is no nancy command',
		({ body }) => {
			expect(body.replace(/^Request: \$ARGUMENTS\n\n/, '')).toMatch(
				/^No `nancy` command, or `NANCY_TASK_DIR` not set: .+\.\n/,
			);
		},
	);

	it.each(skills.filter(({ fields }) => fields['argument-hint'] !== undefined))(
		'$folder hands its arguments on',
		({ body }) => expect(body).toContain('$ARGUMENTS'),
	);

	it.each(skills.flatMap(skill => commandLinesOf(skill).map(line => ({ folder: skill.folder, line }))))(
		'$folder: "$line" is a command line that nancy takes',
		({ line }) => {
			const { globals, name, rest } = splitCommandLine(wordsOf(line).slice(1));
			const command = commands.find(candidate => candidate.name === name);
			if (!command) throw new Error(`no command ${name}`);
			expect(parseCommandArguments(command, rest, globals)).toBeDefined();
		},
	);
});
