// Each pass has a file here that shows what it changes and what it leaves unchanged, and each file belongs to an existing pass.
// RUN: weft opt --list-passes | sed 's/ .*//' | sort >%t.passes
// RUN: cd %S; ls | grep -v every_pass | sed 's/\.mlir$//' | sort >%t.files; diff %t.passes %t.files
// RUN: while read -r pass; do grep -q -e "--pass=$pass " %S/$pass.mlir; done <%t.passes
