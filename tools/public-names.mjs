import ts from 'typescript';

/** The names of values and types that each of these declaration files exports, in the order of the files. */
export function publicNames(files) {
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  });
  const checker = program.getTypeChecker();
  return files.map((file) =>
    checker
      .getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)))
      .map((symbol) => symbol.name),
  );
}
