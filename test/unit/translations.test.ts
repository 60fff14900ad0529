import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { filled } from '../../src/base/phrase.ts';
import { taskExists } from '../../src/core/workspace/workspace.ts';
import { drivers } from '../../src/drivers/index.ts';
import { TaskName } from '../../src/protocol/names.ts';

const root = join(import.meta.dirname, '../..');
const Texts = z.record(z.string(), z.string());
const read = (file: string) => Texts.parse(JSON.parse(readFileSync(join(root, file), 'utf8')));

/** Words that are the same in both languages: names, and terms that developers use in English. */
const SAME: Readonly<Record<string, readonly string[]>> = {
	de: [
		'Agent',
		'Branch',
		'Budget',
		'Code',
		'Commits: {0}',
		'Doctor',
		'Hooks',
		'ID',
		'Name',
		'Nancy',
		'Nancy Doctor',
		'Prompt',
		'Subagent',
		'Subagents: {0}',
		'Text',
		'Tool',
		'Worker',
		'Worktree',
		'git bisect reset',
		'git {0}: {1}{2}',
		'{0} ({1})',
		'{0} {1}',
		'{0}, {1}',
		'{0}.',
		'{0}. {1}',
		'{0}: {1}',
	],
};

/** What must be in a translation as it is: places of parts, commands and other links, code, options. */
const FIXED = /\{\d+\}|\]\([^)]*\)|`[^`]*`|--[a-z-]+/g;
const fixedIn = (text: string) => (text.match(FIXED) ?? []).toSorted();

const languages = globSync('package.nls.*.json', { cwd: root }).map(file => file.split('.')[2] ?? '');

it('are there for the whole of Nancy in each language', () => {
	expect(languages).toContain('de');
	const bundles = globSync('l10n/bundle.l10n.*.json', { cwd: root }).filter(
		file => !file.endsWith('/bundle.l10n.json'),
	);
	expect(bundles.toSorted()).toEqual(languages.map(language => `l10n/bundle.l10n.${language}.json`).toSorted());
});

describe.each(languages)('the language %s', language => {
	describe.each([
		['package.nls.json', `package.nls.${language}.json`],
		['l10n/bundle.l10n.json', `l10n/bundle.l10n.${language}.json`],
	])('of %s', (englishFile, file) => {
		const english = read(englishFile);
		const translated = read(file);
		const both = Object.entries(english).flatMap(([key, text]) => {
			const other = translated[key];
			return other === undefined ? [] : [{ key, text, other }];
		});

		it(`has every text: what is missing belongs into ${file}`, () => {
			expect(Object.keys(english).filter(key => translated[key] === undefined)).toEqual([]);
		});

		it('has no text that Nancy does not use', () => {
			expect(Object.keys(translated).filter(key => english[key] === undefined)).toEqual([]);
		});

		it('has the same places, links, options and code in each text', () => {
			const differing = both.filter(({ text, other }) => fixedIn(text).join(' ') !== fixedIn(other).join(' '));
			expect(differing).toEqual([]);
		});

		it('has translated each text, but for words that are the same', () => {
			const same = both.filter(({ text, other }) => text === other).map(({ text }) => text);
			expect(same.filter(text => !SAME[language]?.includes(text))).toEqual([]);
		});
	});
});

it('reach an error of the core', () => {
	const german = read('l10n/bundle.l10n.de.json');
	const { said } = taskExists(TaskName.parse('login'));
	const inGerman = typeof said === 'string' ? said : said.in((key, ...parts) => filled(german[key] ?? key, ...parts));
	expect(inGerman).toBe('es gibt schon eine Aufgabe login; setzen Sie sie fort oder wählen Sie einen anderen Namen');
});

it('reach the modes that an agent may have', () => {
	const german = read('l10n/bundle.l10n.de.json');
	const modes = drivers.flatMap(({ headless, launchModes }) => [
		...(headless === 'none' ? [] : headless.permissionModes),
		...(launchModes === 'none' ? [] : launchModes.modes),
	]);
	for (const { label, detail } of modes)
		for (const { template } of [label, detail]) expect(german[template], template).not.toBe(template);
	expect(modes.find(({ id }) => id === 'read-only')?.label.in(key => german[key] ?? key)).toBe('Schreibgeschützt');
});
