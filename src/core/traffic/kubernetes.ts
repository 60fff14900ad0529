import { REDACTED } from './namedSecrets.ts';

/** Values of a Kubernetes Secret have any name, and are in base64 below `data`. Its `kind` may come after them. */
const KIND = /\bkind\\{0,7}["']?[ \t]{0,8}:[ \t]{0,8}\\{0,7}["']?Secret\b/;
const YAML_BLOCK = /^([ \t]{0,40})(?:data|stringData):[ \t]*\r?\n((?:\1[ \t]+\S.*(?:\r?\n|$))+)/gm;
const YAML_VALUE = /^([ \t]+[\w.-]{1,253}:[ \t]+["']?)(?![|>"'\s]|\[redacted\])[^\r\n"']{1,10000}/gm;
const JSON_BLOCK = /("(?:data|stringData)"\s{0,20}:\s{0,20}\{)([^{}]{1,100000})(?=\})/g;
const JSON_VALUE = /("\s{0,20}:\s{0,20}")(?!\[redacted\])[^"\\]{1,100000}(?=")/g;

/** Removes the values of Kubernetes Secrets, as files and `kubectl get -o yaml` hold them. */
export function redactSealed(text: string): string {
	if (!KIND.test(text)) return text;
	return text
		.split(/(^---.*$)/m)
		.map(part => (KIND.test(part) ? redactData(part) : part))
		.join('');
}

function redactData(document: string): string {
	return document
		.replace(
			YAML_BLOCK,
			(whole, _indent, values: string) =>
				whole.slice(0, whole.length - values.length) + values.replace(YAML_VALUE, `$1${REDACTED}`),
		)
		.replace(
			JSON_BLOCK,
			(_whole, begin: string, values: string) => begin + values.replace(JSON_VALUE, `$1${REDACTED}`),
		);
}
