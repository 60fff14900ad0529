/** The words behind each use of an option in a command line, up to the next option: some take several. */
export function valuesOf(option: string, args: readonly string[]): string[] {
	return args.flatMap((arg, at) => {
		if (arg.startsWith(`${option}=`)) return [arg.slice(option.length + 1)];
		if (arg !== option) return [];
		const rest = args.slice(at + 1);
		const end = rest.findIndex(word => word.startsWith('-'));
		return end < 0 ? rest : rest.slice(0, end);
	});
}
