import { join } from 'node:path';
import { sha256 } from '../base/sha256.ts';
import type { ExtractionRequest, ExtractionTexts } from '../core/driver/extractor.ts';

/** The question in one text, for a CLI with a system prompt. It begins with no sign that begins a command. */
export function question({ digest, order }: Pick<ExtractionTexts, 'digest' | 'order'>): string {
	return `${digest}\n\n${order}`;
}

/** The same for a CLI that takes no JSON schema. */
export function questionWithSchema(request: ExtractionTexts): string {
	return [
		question(request),
		'',
		'Answer with one JSON object alone, without words around it. Its JSON schema:',
		JSON.stringify(request.schema),
	].join('\n');
}

/** A file of Nancy's own for a launch. Its name tells its text, so two calls never write different texts into one. */
export function ownFile({ folder }: Pick<ExtractionRequest, 'folder'>, ending: string, content: string) {
	return { path: join(folder, `${sha256(content).slice(0, 16)}.${ending}`), content };
}
