/**
 * The typed prompt with a sentence about the specification, once.
 * @param file relative to the folder
 */
export function withSpecification(typed: string, file: string): string {
	// Words for the agent, so not translated.
	const sentence = `Read the specification in ${file} and carry it out.`;
	return typed.includes(sentence) ? typed : [typed.trim(), sentence].filter(Boolean).join(' ');
}
