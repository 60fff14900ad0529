import * as fc from 'fast-check';
import { getNodeValue, parseTree } from 'jsonc-parser';
import { LAUNCHER_PATTERN } from '../../src/core/deployment/launcher.ts';

/** Whether a line begins as Nancy's do. */
export const isOurs = (line: string): boolean => LAUNCHER_PATTERN.test(line);

// Through text once: JSON has no -0.
const json = fc.jsonValue({ maxDepth: 3 }).map(each => JSON.parse(JSON.stringify(each)) as unknown);
const key = fc.string({ unit: 'grapheme' }).filter(name => name !== 'hooks' && name !== '__proto__');
const hook = fc.oneof(
	fc.record({ type: fc.constant('command'), command: fc.string({ unit: 'grapheme' }) }),
	fc.constant({ type: 'command', command: '/home/nancy/runtime/tools/nancy-hook-mine.sh', timeout: 3 }),
	fc.constant({ type: 'command', command: "time '/home/me/nancy/runtime/0.1.0-aaaaaaaa/nancy-hook' x" }),
);
const group = fc.record({ matcher: fc.string(), hooks: fc.array(hook, { maxLength: 3 }) }, { requiredKeys: ['hooks'] });
const hooks = fc.dictionary(
	fc.constantFrom('PreToolUse', 'Stop', 'SessionStart', 'Other'),
	fc.array(group, { maxLength: 3 }),
);
/** What may stand in a settings file: with hooks of others, some of which look almost like ours. */
export const settingsValue = fc
	.tuple(fc.dictionary(key, json, { maxKeys: 4 }), fc.option(hooks, { nil: undefined }), fc.boolean())
	.map(([rest, own, isFirst]) =>
		own === undefined ? rest : isFirst ? { hooks: own, ...rest } : { ...rest, hooks: own },
	);

/** JSON with comments, trailing commas and spacing as no formatter would write it. */
const written: fc.Arbitrary<string> = fc
	.tuple(
		settingsValue,
		fc.infiniteStream(fc.constantFrom('', '', ' ', '\n', '\t', '\n      ', ' // a "word" }\n', '/* ],{ */')),
		fc.boolean(),
	)
	.map(([root, gaps, hasTrailing]) => {
		const gap = () => gaps.next().value ?? '';
		const write = (node: unknown): string => {
			if (typeof node !== 'object' || node === null) return JSON.stringify(node);
			const isList = Array.isArray(node);
			const parts = isList
				? node.map(each => gap() + write(each) + gap())
				: Object.entries(node).map(
						([name, each]) => `${gap()}${JSON.stringify(name)}${gap()}:${gap()}${write(each)}${gap()}`,
					);
			const inside = parts.join(',') + (hasTrailing && parts.length > 0 ? `,${gap()}` : gap());
			return isList ? `[${inside}]` : `{${inside}}`;
		};
		return gap() + write(root) + gap();
	});
/** Settings files as text, of any layout, encoding mark and line ends. */
export const settingsDocument = fc
	.tuple(
		fc.oneof(
			written,
			settingsValue.map(root => JSON.stringify(root, null, 2)),
		),
		fc.constantFrom('\n', '\r\n'),
		fc.constantFrom('', '\uFEFF'),
	)
	.map(([source, eol, mark]) => mark + source.replaceAll('\n', eol));

/** What a settings file means: comments and trailing commas say nothing. */
export function meaning(source: string): unknown {
	// `parse` would lose a key named `__proto__`.
	const tree = parseTree(source.replace(/^\uFEFF/, ''), [], { allowTrailingComma: true });
	return tree && getNodeValue(tree);
}

/** A settings file's meaning less every group of hooks that holds a line of ours. */
export function withoutOurs(value: unknown): unknown {
	const { hooks = {}, ...rest } = value as { hooks?: Record<string, unknown[]> };
	const others = Object.entries(hooks).map(
		([event, groups]) => [event, groups.filter(group => !stringsIn(group).some(isOurs))] as const,
	);
	return withoutEmpty({ ...rest, hooks: Object.fromEntries(others) });
}

function stringsIn(value: unknown): string[] {
	if (typeof value === 'string') return [value];
	return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** Empty lists of hooks mean nothing, and go with those that were put into them. */
export function withoutEmpty(value: unknown): unknown {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
	const kept = Object.entries(value)
		.map(([name, each]) => [name, withoutEmpty(each)] as const)
		.filter(([, each]) => each !== undefined)
		.filter(([, each]) => !(typeof each === 'object' && each !== null && Object.keys(each).length === 0));
	return Object.fromEntries(kept);
}
