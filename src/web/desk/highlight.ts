import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { tokensOf, type Token } from '../../picture/tokens.ts';

/** In UTF-16 units: a grammar's expressions may take long for more. */
const LONGEST = 64 * 1024;

// TypeScript's grammar also reads JavaScript.
for (const [name, language] of Object.entries({ bash, go, ini, java, json, python, rust, typescript, xml, yaml }))
	hljs.registerLanguage(name, language);
hljs.registerAliases(['javascript', 'js', 'jsx', 'mjs', 'cjs'], { languageName: 'typescript' });

/** The parts of a text in a language. A language that is not known, and a very long text, is one plain part. */
export function highlight(text: string, language: string): readonly Token[] {
	return text.length > LONGEST ? [{ text, scope: '' }] : tokensOf(hljs, text, language);
}

/** By the ending of a file's name. */
export function languageOf(path: string): string {
	const [, ending = ''] = /\.(\w+)$/.exec(path.toLowerCase()) ?? [];
	return ENDINGS[ending] ?? ending;
}

/** The names of the grammars above that are no endings. highlight.js knows the others. */
const ENDINGS: Readonly<Record<string, string>> = { tsx: 'typescript', toml: 'ini', html: 'xml', svg: 'xml' };
