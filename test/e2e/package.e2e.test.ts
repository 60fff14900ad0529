import { globSync, readFileSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { hookPrograms } from '../../scripts/lib/hookProgram.mts';
import { TARGETS, vsixOf } from '../../scripts/lib/targets.mts';
import { packagedExtension } from '../support/installVsix.ts';
import { repository } from '../support/programs.ts';
import { filesInZip } from '../support/zip.ts';

const KB = 1024;
/** What was measured of the others is for builders. */
const agentPages = ['acp', 'amazon-q', 'kiro'].map(name => `docs/agents/${name}.md`);
const documents = ['AGENTS.md', 'CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: repository }), ...agentPages];
/** What vsce names anew. */
const RENAMED: Readonly<Record<string, string>> = {
	'CHANGELOG.md': 'changelog.md',
	LICENSE: 'LICENSE.txt',
	'README.md': 'readme.md',
};

/** A part of the desk's page. Its name ends with a hash. */
const PART = /\/([a-z]+)-[0-9A-Z]{8}\.js$/;
const SKILLS = ['check-directives', 'check-tokens', 'create-spec', 'delegate', 'orchestrator', 'send-message'];
const pluginFiles = [
	'.claude-plugin/marketplace.json',
	'nancy/.claude-plugin/plugin.json',
	'nancy/.mcp.json',
	'nancy/README.md',
	'nancy/commands/feedback.md',
	'nancy/commands/status.md',
	'nancy/door',
	'nancy/hooks/hooks.json',
	...[...SKILLS, 'session-history', 'update-spec'].map(skill => `nancy/skills/${skill}/SKILL.md`),
];

/** What a platform needs to watch a terminal. */
function terminalsOf(target: string | undefined): string[] {
	if (target === undefined || !TARGETS[target]?.watches) return [];
	return target.startsWith('darwin') ? [`${target}/pty.node`, `${target}/spawn-helper`] : [`${target}/pty.node`];
}

it.each([...Object.keys(TARGETS), undefined])('ships what %s needs, and no source, map or test', target => {
	const packed = filesInZip(vsixOf(target));
	const named = /TargetPlatform="([^"]+)"/.exec(packed.get('extension.vsixmanifest')?.text() ?? '');
	expect(named?.[1]).toBe(target);
	const names = [...packed.keys()].map(name => name.replace(PART, '/$1.js'));
	expect(names.toSorted()).toEqual(
		[
			'[Content_Types].xml',
			'extension.vsixmanifest',
			'extension/LICENSE.txt',
			'extension/changelog.md',
			'extension/dist/ThirdPartyNotices.txt',
			'extension/dist/extension.js',
			...hookPrograms.map(({ name }) => `extension/dist/hook/${name}.js`),
			...terminalsOf(target).map(file => `extension/dist/hook/prebuilds/${file}`),
			'extension/dist/late.js',
			'extension/dist/main.js',
			'extension/dist/memory.js',
			'extension/dist/nancy.js',
			'extension/dist/picture.js',
			...pluginFiles.map(file => `extension/dist/plugin/${file}`),
			'extension/dist/projects.js',
			'extension/dist/serve.js',
			...documents.map(file => `extension/${file}`),
			'extension/docs/images/nancy.webp',
			'extension/docs/images/views.webp',
			'extension/docs/kubernetes/Dockerfile',
			'extension/docs/kubernetes/Dockerfile.run',
			'extension/hooks/due',
			'extension/hooks/hand-over',
			'extension/hooks/hand-over.pl',
			'extension/hooks/nancy-hook',
			'extension/l10n/bundle.l10n.de.json',
			'extension/l10n/bundle.l10n.json',
			'extension/media/compose.css',
			'extension/media/desk/chunk.js',
			'extension/media/desk/desk.css',
			'extension/media/desk/desk.html',
			'extension/media/desk/desk.js',
			'extension/media/desk/icon.png',
			'extension/media/desk/icon.svg',
			'extension/media/desk/manifest.webmanifest',
			'extension/media/desk/rooms.js',
			'extension/media/desk/sw.js',
			'extension/media/icon.png',
			'extension/media/messages.css',
			'extension/media/nancy.svg',
			...['agent', 'answer', 'delegate', 'leave', 'orchestrate', 'steer', 'watch'].flatMap(step =>
				['dark', 'light'].map(theme => `extension/media/walkthrough/${step}-${theme}.webp`),
			),
			'extension/media/web/compose.js',
			'extension/media/web/messages.js',
			'extension/media/web/question.css',
			'extension/media/web/question.js',
			'extension/package.json',
			'extension/package.nls.de.json',
			'extension/package.nls.json',
			'extension/readme.md',
			'extension/skills/check-directives/SKILL.md',
			'extension/skills/check-tokens/SKILL.md',
			'extension/skills/create-spec/SKILL.md',
			'extension/skills/delegate/SKILL.md',
			'extension/skills/orchestrator/SKILL.md',
			'extension/skills/send-message/SKILL.md',
			'extension/skills/session-history/SKILL.md',
			'extension/skills/update-spec/SKILL.md',
		].toSorted(),
	);
});

it('ships every file that the README and what it leads to link to', () => {
	const packed = filesInZip(packagedExtension);
	const links = ['README.md', ...documents].flatMap(file =>
		Array.from(
			readFileSync(`${repository}/${file}`, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)/g),
			([, link = '']) => posix.join(posix.dirname(file), link),
		),
	);
	expect(links.length).toBeGreaterThan(10);
	expect(links.filter(link => !packed.has(`extension/${RENAMED[link] ?? link}`))).toEqual([]);
});

/** The seventh and eighth driver brought 6 KB to each program that knows all of them, and four hook programs of 50 to 60 KB to the package. */
it('is small, above all in what every window loads and what every hook starts', () => {
	const files = filesInZip(packagedExtension);
	const tooLarge = Object.entries({
		'dist/extension.js': 2,
		'dist/late.js': 9,
		'dist/hook/claude-code.js': 179,
		// 43 of them are the list of machines, the check of one, their page, queues, clusters, sandboxes, and what is looked at before a merge.
		'dist/main.js': 1073,
		// 87 of them are delegates on other machines: their steps, messages, list, queues, variables, clusters, other branches, and looks; and sandboxes.
		'dist/nancy.js': 963,
		'dist/hook/watched.js': 315,
		'dist/serve.js': 155,
		'dist/picture.js': 360,
		'dist/memory.js': 161,
		'dist/projects.js': 144,
	})
		.map(([file, most]) => ({ file, most, is: (files.get(`extension/${file}`)?.size ?? Infinity) / KB }))
		.filter(({ is, most }) => is > most);
	expect(tooLarge).toEqual([]);
	expect(statSync(packagedExtension).size / KB).toBeLessThan(3366);
});

it('has a page for a phone that is small on its way there', () => {
	const files = filesInZip(packagedExtension);
	const text = (name: string) => files.get(`extension/media/desk/${name}`)?.text() ?? '';
	const parts = Array.from(text('desk.html').matchAll(/modulepreload" href="a\/([^"]+)"/g), ([, name = '']) => name);
	expect(parts.length).toBeGreaterThan(0);
	const sent = ['desk.js', 'desk.css', ...parts].map(name => gzipSync(text(name), { level: 9 }));
	const bytes = sent.reduce((sum, { length }) => sum + length, 0);
	expect(bytes).toBeGreaterThan(KB);
	expect(bytes).toBeLessThanOrEqual(60 * KB);
	// What is seldom looked at comes later.
	const rooms = [...files.keys()].find(name => /desk\/rooms-/.test(name)) ?? '';
	expect(gzipSync(files.get(rooms)?.text() ?? '', { level: 9 }).length / KB).toBeLessThanOrEqual(40);
});

it('has programs without an editor that need nothing but Node', () => {
	const programs = [...filesInZip(packagedExtension)].filter(([name]) =>
		/dist\/(?:hook\/.*|nancy|serve)\.js$/.test(name),
	);
	expect(programs.length).toBeGreaterThan(hookPrograms.length);
	for (const [name, program] of programs) {
		const needed = [...program.text().matchAll(/\brequire\(\s*["']([^"']+)["']\s*\)/g)].map(
			([, module = '']) => module,
		);
		expect(needed.length, name).toBeGreaterThan(3);
		expect(
			needed.filter(module => !isBuiltin(module)),
			name,
		).toEqual([]);
	}
});

it('takes VS Code’s API as it is, without a copy for each file', () => {
	const files = filesInZip(packagedExtension);
	for (const name of ['extension', 'late', 'main']) {
		const program = files.get(`extension/dist/${name}.js`)?.text() ?? '';
		const calls = program.match(/.\brequire\(\s*["']vscode["']\s*\)/g) ?? [];
		expect(calls.length, name).toBeGreaterThan(0);
		expect(
			calls.filter(call => call.startsWith('(')),
			name,
		).toEqual([]);
	}
});
